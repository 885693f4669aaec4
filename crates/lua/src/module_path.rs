//! Says where scripts look for modules, as sysbench sets Lua up.

use std::fs::File;
use std::sync::OnceLock;

/// The modules that come with sysbench.
const SHARE: &str = "/usr/share/sysbench/?.lua";

/// Returns `package.path`: the one of the environment, with our own places in place of Lua's.
pub(crate) fn package_path() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| path_of(variable("LUA_PATH"), variable("HOME")))
}

/// Returns whether scripts find a module of this name before they look at those that come with sysbench.
#[must_use]
pub fn is_module_replaced(name: &str) -> bool {
    places_before_share(package_path()).any(|place| File::open(place.replace('?', name)).is_ok())
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn path_of(wanted: Option<String>, home: Option<String>) -> String {
    let mut places: Vec<String> = ["./?.lua", "./?/init.lua", "./src/lua/?.lua"]
        .map(str::to_owned)
        .to_vec();
    for module in ["5.1/?.lua", "5.1/?/init.lua", "?.lua", "?/init.lua"] {
        let in_home = |home| format!("{home}/.luarocks/share/lua/{module}");
        places.extend(home.as_ref().map(in_home));
    }
    places.extend(["/usr/local", "/usr"].map(|root| format!("{root}/share/lua/5.1/?.lua")));
    places.push(SHARE.to_owned());
    let own = places.join(";") + ";";
    match wanted {
        Some(wanted) => wanted.replace(";;", &format!(";{own};")),
        None => own,
    }
}

fn places_before_share(path: &str) -> impl Iterator<Item = &str> {
    let places = path.split(';').filter(|place| !place.is_empty());
    places.take_while(|place| *place != SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before_share(wanted: Option<&str>) -> Vec<String> {
        let path = path_of(wanted.map(str::to_owned), Some("/home/a".to_owned()));
        places_before_share(&path).map(str::to_owned).collect()
    }

    #[test]
    fn modules_of_sysbench_come_last_unless_the_environment_says_otherwise() {
        let own = [
            "./?.lua",
            "./?/init.lua",
            "./src/lua/?.lua",
            "/home/a/.luarocks/share/lua/5.1/?.lua",
            "/home/a/.luarocks/share/lua/5.1/?/init.lua",
            "/home/a/.luarocks/share/lua/?.lua",
            "/home/a/.luarocks/share/lua/?/init.lua",
            "/usr/local/share/lua/5.1/?.lua",
            "/usr/share/lua/5.1/?.lua",
        ];
        assert_eq!(before_share(None), own);
        assert_eq!(before_share(Some("/m/?.lua")), ["/m/?.lua"]);
        assert_eq!(
            before_share(Some("/m/?.lua;;")),
            [&["/m/?.lua"][..], &own].concat()
        );
        assert!(before_share(Some("/usr/share/sysbench/?.lua;/m/?.lua")).is_empty());
    }
}
