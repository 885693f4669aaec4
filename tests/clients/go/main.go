// Command nullclient drives a server through database/sql and the usual Go driver, and prints as JSON what it
// saw. Its argument is a data source name such as any@unix(/tmp/null.sock)/sbtest.
package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"

	_ "github.com/go-sql-driver/mysql"
)

const rounds = 50

type seen struct {
	Version string `json:"version"`
	Points  int    `json:"points"`
	Rows    int    `json:"rows"`
	Changed int64  `json:"changed"`
	Commits int    `json:"commits"`
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	db, err := sql.Open("mysql", os.Args[1])
	must(err)
	defer db.Close()
	var result seen
	must(db.Ping())
	must(db.QueryRow("SELECT VERSION()").Scan(&result.Version))
	point, err := db.Prepare("SELECT c FROM sbtest1 WHERE id=?")
	must(err)
	defer point.Close()
	for round := 0; round < rounds; round++ {
		transaction(db, point, round, &result)
	}
	must(json.NewEncoder(os.Stdout).Encode(result))
}

// One transaction: a point select that was prepared, a range with its values prepared on the way, a range as
// text, and an update.
func transaction(db *sql.DB, point *sql.Stmt, round int, result *seen) {
	work, err := db.Begin()
	must(err)
	var c string
	must(work.Stmt(point).QueryRow(round).Scan(&c))
	if len(c) == 119 {
		result.Points++
	}
	result.Rows += count(work.Query("SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c", 1, 100))
	text := fmt.Sprintf("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (%d, %d)", round, round+1)
	result.Rows += count(work.Query(text))
	done, err := work.Exec("UPDATE sbtest1 SET k=k+1 WHERE id=?", round)
	must(err)
	changed, err := done.RowsAffected()
	must(err)
	result.Changed += changed
	must(work.Commit())
	result.Commits++
}

func count(rows *sql.Rows, err error) int {
	must(err)
	defer rows.Close()
	count := 0
	for rows.Next() {
		count++
	}
	must(rows.Err())
	return count
}
