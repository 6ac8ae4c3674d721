/** Prints what the operator sees at a start; exits with the reason of a failure. */

import { realpathSync, writeFile } from 'node:fs'
import { promisify } from 'node:util'
import type { Config } from '../config.ts'
import type { DemoAccount } from '../demo.ts'
import { explainFileError } from '../domain/fileFaults.ts'

const stdoutFd = 1

/** Writes a text with a token to standard output, past the log, which would redact it. Rejects when it cannot. */
export async function printToStdout(text: string): Promise<void> {
  // not by `process.stdout`, which would make a pipe non-blocking, and the log on it slow
  await promisify(writeFile)(stdoutFd, text)
}

/** Writes any other text for people to standard error: standard output is the log's. Rejects when it cannot. */
export function printToStderr(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Prints the reason and ends the process as failed. */
export function exitWithError(error: unknown): never {
  const reason = explainFileError(error) ?? (error instanceof Error ? error.message : String(error))
  process.stderr.write(`\nVigil cannot go on:\n${reason}\n\n`)
  process.exit(1)
}

/** The text that shows a new operator token. */
export function operatorTokenText(token: string): string {
  return `
The operator token, kept nowhere and shown this once:

  export VIGIL_OPERATOR_TOKEN=${token}

`
}

/** The text that shows the demo account's token, and what it is for. */
export function demoText(demo: DemoAccount): string {
  return `
A demo account is open, with a flow for signups and one for payouts. Its token, shown this once:

  export VIGIL_TOKEN=${demo.token}
  export VIGIL_SIGNUP_FLOW=${demo.signupFlow}
  export VIGIL_PAYOUT_FLOW=${demo.payoutFlow}

To sign in to the console, paste the same:

  ${demo.token}

`
}

interface Welcome {
  readonly config: Config
  readonly port: number
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly demo: DemoAccount | undefined
}

/** The address the service listens on, and the steps to a first verdict. */
export function welcome({ config, port, folder, demo }: Welcome): string {
  const url = `http://${reachableHost(config.host)}:${port}`
  const lines = ['', `Vigil listens on ${url}; its data lies in ${realpathSync(folder)}.`]
  if (config.role === 'projector')
    lines.push('It runs the projections, and answers /health and /metrics only.')
  else
    lines.push(
      '',
      `The console is at ${url}/console/`,
      '',
      ...(demo ? demoLines(url) : urlLines(url)),
    )
  return `${lines.join('\n')}\n\n`
}

/** A host by which a client on this machine reaches the service, also when it listens on all addresses. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The variables that every guide uses; tokens were shown when they were issued. */
function urlLines(url: string): readonly string[] {
  return [
    'For vigil and curl in another shell, with a token that was shown when it was issued:',
    '',
    `  export VIGIL_URL=${url}`,
    '  export VIGIL_TOKEN=…',
    '',
    'The operator issues tokens: npx vigil tokens issue ACCOUNT --scope eval',
  ]
}

function demoLines(url: string): readonly string[] {
  return [
    'A first verdict, in another shell with the lines above, with rules that trigger and some that wait for a signal:',
    '',
    `  export VIGIL_URL=${url}`,
    '  npx vigil eval $VIGIL_SIGNUP_FLOW --phone +33612345678 --email ada90210@mailinator.com \\',
    '    --signal ip=192.0.2.7 --ext shop_country=FR',
  ]
}
