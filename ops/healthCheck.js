/** Ends with 0 when the service in this container answers the path with 200, else with 1 and what it said: `node healthCheck.js /health/ready`. */

import { get } from 'node:http'

const [path = '/health/live'] = process.argv.slice(2)
const { PORT = '8080' } = process.env

// `fetch` takes more than twice the processor time of this, each time
const signal = AbortSignal.timeout(4_000)
const request = get(`http://127.0.0.1:${PORT}${path}`, { signal }, (answer) => {
  let said = ''
  answer.on('data', (part) => {
    said += part
  })
  answer.on('end', () => {
    if (answer.statusCode !== 200) fail(said)
  })
  // the connection broke in the answer
  answer.on('error', (error) => fail(error.message))
})
request.on('error', (error) => fail(error.message))

/** @param {string} why */
function fail(why) {
  process.stderr.write(`${why.slice(0, 2_000)}\n`)
  process.exitCode = 1
}
