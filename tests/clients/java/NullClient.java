import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Drives a server through Connector/J and prints as JSON what it saw. Its argument is a JDBC address. */
public final class NullClient {
    private static final int ROUNDS = 50;

    private int points;
    private int rows;
    private int changed;
    private int commits;

    public static void main(String[] arguments) throws SQLException {
        NullClient client = new NullClient();
        try (Connection connection = DriverManager.getConnection(arguments[0], "any", "anything")) {
            String version = connection.getMetaData().getDatabaseProductVersion();
            connection.setAutoCommit(false);
            for (int round = 0; round < ROUNDS; round++) {
                client.transaction(connection, round);
            }
            System.out.printf(
                    "{\"version\":\"%s\",\"points\":%d,\"rows\":%d,\"changed\":%d,\"commits\":%d}%n",
                    version, client.points, client.rows, client.changed, client.commits);
        }
    }

    /** A point select and a range that are prepared, rows as text, and an update. */
    private void transaction(Connection connection, int round) throws SQLException {
        try (PreparedStatement point = connection.prepareStatement("SELECT c FROM sbtest1 WHERE id=?")) {
            point.setInt(1, round);
            try (ResultSet result = point.executeQuery()) {
                if (result.next() && result.getString(1).length() == 119) {
                    points++;
                }
            }
        }
        try (PreparedStatement range =
                connection.prepareStatement("SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c")) {
            range.setInt(1, 1);
            range.setLong(2, 100);
            rows += count(range.executeQuery());
        }
        try (Statement text = connection.createStatement()) {
            String sql = "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" + round + ", " + (round + 1) + ")";
            rows += count(text.executeQuery(sql));
        }
        try (PreparedStatement update = connection.prepareStatement("UPDATE sbtest1 SET k=k+1 WHERE id=?")) {
            update.setInt(1, round);
            changed += update.executeUpdate();
        }
        connection.commit();
        commits++;
    }

    private static int count(ResultSet result) throws SQLException {
        try (result) {
            int count = 0;
            while (result.next()) {
                count++;
            }
            return count;
        }
    }
}
