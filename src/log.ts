/** Writes the service's log as JSON in the background, with personal data and secrets redacted. */

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

/** Lines wait for each other up to this many characters or this long, so that a request does not wait for its line. */
const batchLength = 12 * 1024
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

interface Secret {
  readonly sign: string
  readonly pattern: RegExp
  readonly instead: string
}

/**
 * What is never written, wherever in a line it stands. A pattern is tried only where its sign stands, because most
 * lines have none and the patterns cost more than the rest of the line.
 */
const secrets: readonly Secret[] = [
  ...secretKeys.flatMap(secretsOfKey),
  // wherever they begin: in a line, the letter of an escape sequence (`\n`) may stand right before them
  { sign: 'earer ', pattern: /bearer [^\s"\\]+/gi, instead: 'Bearer [redacted]' },
  { sign: 'vgl_', pattern: /vgl_[\w-]+/g, instead: '[redacted]' },
  { sign: 'vgo_', pattern: /vgo_[\w-]+/g, instead: '[redacted]' },
  { sign: 'eyJ', pattern: /eyJ[\w-]+\.[\w-]+\.[\w-]*/g, instead: '[redacted]' },
  {
    sign: '@',
    // not from within an escape sequence on (`\n`, `\u0009`), of which half would be left
    pattern:
      /(?<!\\|\\u[\da-f]{0,3})[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
    instead: '[redacted]',
  },
  { sign: '+', pattern: /\+\d(?:[ ().-]{0,3}\d){6,14}/g, instead: '[redacted]' },
]

/** The value of a key, in a line and in a text within a line that is itself JSON. */
function secretsOfKey(key: string): readonly Secret[] {
  return [
    {
      sign: `"${key}":"`,
      pattern: new RegExp(String.raw`"${key}":"(?:[^"\\]|\\.)*"`, 'g'),
      instead: `"${key}":"[redacted]"`,
    },
    {
      sign: String.raw`\"${key}\":`,
      pattern: new RegExp(String.raw`\\"${key}\\":\s*\\"(?:[^"\\]|\\\\(?:\\.|.))*\\"`, 'g'),
      instead: String.raw`\"${key}\":\"[redacted]\"`,
    },
  ]
}

/** Opens the log at a level of pino's, or `silent`. */
export function openLog({ level, destination = 1 }: LogOptions): Log {
  const output = pino.destination({
    dest: destination,
    sync: false,
    minLength: batchLength,
    periodicFlush: flushEveryMs,
    maxLength: pendingBytesMax,
  })
  const logger = pino({ level, base: null }, { write: (line) => output.write(redactLine(line)) })
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
      return closeOutput(output)
    },
  }
}

/** The line without what must not be written; still JSON. */
export function redactLine(line: string): string {
  let clean = line
  for (const { sign, pattern, instead } of secrets) {
    if (clean.includes(sign)) clean = clean.replace(pattern, instead)
  }
  return clean
}

/** Characters of an error that are shown. */
const errorLengthMax = 500

/**
 * What failed, with the message of its error fit to be shown. Projections see personal fields sealed only; this is for
 * personal data where none should be, such as an address in the text of a rule.
 */
export function redactError<Failed extends { readonly error?: string }>(failed: Failed): Failed {
  const { error } = failed
  return error === undefined
    ? failed
    : { ...failed, error: redactLine(error).slice(0, errorLengthMax) }
}

function closeOutput(output: ReturnType<typeof pino.destination>): Promise<void> {
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
