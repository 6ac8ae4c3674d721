/** The table of evaluations in PostgreSQL that the service is compared with. */

import pg from 'pg'

/** Prepared once for each connection; its values are the id, the request and the answer. */
export const insertEvaluation = {
  name: 'insert evaluation',
  text: 'INSERT INTO vigil_bench_evaluations (id, request, answer) VALUES ($1, $2, $3)',
}

/**
 * Makes the table anew in the database of this URL, and answers how to remove it. Rejects with what PostgreSQL says.
 */
export async function makeTable(url: string): Promise<() => Promise<void>> {
  const remove = 'DROP TABLE IF EXISTS vigil_bench_evaluations'
  await run(url, remove)
  await run(
    url,
    `CREATE TABLE vigil_bench_evaluations (
       id uuid PRIMARY KEY,
       at timestamptz NOT NULL DEFAULT now(),
       request jsonb NOT NULL,
       answer jsonb NOT NULL
     )`,
  )
  return () => run(url, remove)
}

/** What the server is, and whether a commit waits for its disk: a server that does not would be no fair one. */
export async function aboutServer(url: string): Promise<string> {
  const shown = ['server_version', 'fsync', 'synchronous_commit']
  const told: string[] = []
  for (const setting of shown)
    told.push(String((await rowsOf(url, `SHOW ${setting}`))[0]?.[setting]))
  const [version, fsync, commit] = told
  return `PostgreSQL ${version}, fsync ${fsync}, synchronous_commit ${commit}`
}

async function run(url: string, sql: string): Promise<void> {
  await rowsOf(url, sql)
}

async function rowsOf(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
