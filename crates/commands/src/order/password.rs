//! Reads passwords, from files only: others can read an argument or a variable.

use crate::cli_error::CliError;
use crate::error_code::ErrorCode;
use crate::terminal;
use dbdyno_wire::Password;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Of a password file: more is none.
const MOST_BYTES: u64 = 64 << 10;

/// Reads the password in a file; a line feed at its end is not part of it. Without a file there is none.
pub(crate) fn read_password(file: Option<&Path>) -> Result<Password, CliError> {
    let Some(file) = file else {
        return Ok(Password::default());
    };
    let unreadable = |error: io::Error| {
        CliError::request(
            ErrorCode::FileUnreadable,
            format!("password file {} can't be read", file.display()),
        )
        .because(error)
    };
    let mut bytes = dbdyno_input::read_at_most(file, MOST_BYTES).map_err(unreadable)?;
    if fs::metadata(file).map_err(unreadable)?.permissions().mode() & 0o006 != 0 {
        // Mounted secrets are often readable for all users, so this is a warning and not an error.
        let _ = writeln!(
            terminal::stderr(),
            "warning: every user of this machine can read or write password file {0}; chmod 600 {0}",
            file.display()
        );
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    Ok(Password::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_feed_at_the_end_is_not_part_of_the_password() {
        let file = std::env::temp_dir().join(format!("dbdyno-password-{}", std::process::id()));
        for (content, password) in [("s3\n", "s3"), ("s3", "s3"), ("s3\n\n", "s3\n"), ("", "")] {
            fs::write(&file, content).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            assert!(
                read_password(Some(&file)).unwrap() == Password::new(password),
                "{content:?}"
            );
        }
        fs::remove_file(&file).unwrap();
        let error = read_password(Some(&file)).unwrap_err();
        assert!(error.to_string().contains("can't be read"), "{error}");
    }

    #[test]
    fn without_a_file_there_is_no_password() {
        assert!(read_password(None).unwrap() == Password::default());
    }
}
