/** Ends with 0 when the service in this container answers the path with 200, else with 1 and what it said: `node healthCheck.js /health/ready`. */

const [path = '/health/live'] = process.argv.slice(2)
const { PORT = '8080' } = process.env

try {
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    signal: AbortSignal.timeout(4_000),
  })
  if (!answer.ok) fail(await answer.text())
} catch (error) {
  fail(error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error))
}

/** @param {string} why */
function fail(why) {
  process.stderr.write(`${why.slice(0, 2_000)}\n`)
  process.exitCode = 1
}
