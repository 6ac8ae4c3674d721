/** The log: JSON lines, written in the background, with what is personal or secret taken out of every line. */

import pino from 'pino'

export type Logger = pino.Logger

export interface Log {
  readonly logger: Logger
  /** Resolves when every line is written; the log takes no more after it. */
  readonly close: () => Promise<void>
}

interface LogOptions {
  readonly level: pino.LevelWithSilent
  /** A file, or a file descriptor; 1 (standard output) unless given. */
  readonly destination?: string | number
}

/** Lines wait for each other up to this many bytes or this long, so that a request does not wait for its line. */
const batchBytes = 4 * 1024
const flushEveryMs = 500
/** Beyond this much unwritten text, when nobody reads the output, lines are dropped and counted. */
const pendingBytesMax = 16 * 1024 * 1024
const closeTimeoutMs = 2_000

const secretKeys = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-refresh-token',
  'dpop',
  'password',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'phone_number',
  'email_address',
  'value',
  'ip',
  'device_id',
]

/** What is never written, wherever in a line it stands: values of the keys above, tokens, email addresses, phone numbers. */
const secrets = new RegExp(
  [
    String.raw`(?<key>\\*"(?:${secretKeys.join('|')})\\*"\s*:\s*)(?:\\*"(?:[^"\\]|\\[^"])*\\*"|[\d.]+)`,
    String.raw`\bBearer\s+[^\s"\\]+`,
    String.raw`\bvgl_[\w-]+`,
    String.raw`\beyJ[\w-]+\.[\w-]+\.[\w-]*`,
    String.raw`[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`,
    String.raw`\+\d(?:[ ().-]?\d){6,14}`,
  ].join('|'),
  'giu',
)

/** Opens the log at a level of pino's, or `silent`. */
export function openLog({ level, destination = 1 }: LogOptions): Log {
  const output = pino.destination({
    dest: destination,
    sync: false,
    minLength: batchBytes,
    maxLength: pendingBytesMax,
    periodicFlush: flushEveryMs,
  })
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    output,
  )
  let dropped = 0
  output.on('drop', () => {
    dropped += 1
  })
  // nobody is left to be told when the output itself is gone (a closed pipe); the service goes on without it
  output.on('error', () => {
    logger.level = 'silent'
  })
  return {
    logger,
    close: () => {
      if (dropped > 0) logger.warn({ dropped }, 'lines were dropped')
      return end(output)
    },
  }
}

/** The line without what must not be written; still JSON. */
export function redact(line: string): string {
  return line.replace(secrets, (...found) => {
    const { key } = found.at(-1) as { readonly key?: string }
    return key === undefined ? '[redacted]' : `${key}"[redacted]"`
  })
}

function end(output: ReturnType<typeof pino.destination>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, closeTimeoutMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    output.once('close', done)
    output.once('error', done)
    output.end()
  })
}
