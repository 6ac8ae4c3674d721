/** The command line in this process, its output captured, its files in a folder of their own. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../../src/cli/program.ts'
import { readEnvironment } from '../../../src/cli/terminal/environment.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
  /** What was printed, read as JSON. */
  readonly json: () => Record<string, unknown>
}

export interface Situation {
  readonly variables?: Readonly<Record<string, string>>
  /** What is piped in; undefined is a terminal at which `typed` is typed. */
  readonly stdin?: string | Buffer
  /** Each time that is asked, or one after another. */
  readonly typed?: string | readonly string[]
  readonly terminal?: boolean
  /** How wide the terminal is; it does not say unless given. */
  readonly columns?: number
  readonly interrupted?: AbortSignal
  /** The clock; the real one unless given. */
  readonly nowMs?: number
  /** Told of every piece of output as it is written. */
  readonly onOut?: (text: string) => void
}

export interface Cli {
  /** An empty folder for files. */
  readonly folder: string
  readonly profilesFile: string
  /** How long each pause would have been, in milliseconds. */
  readonly pauses: number[]
  readonly run: (words: readonly string[], situation?: Situation) => Promise<Ended>
  readonly close: () => void
}

/** A command line with these variables in its environment. */
export function openCli(variables: Readonly<Record<string, string>> = {}): Cli {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-cli-'))
  const pauses: number[] = []
  return {
    folder,
    profilesFile: join(folder, 'config', 'vigil', 'profiles.json'),
    pauses,
    run: async (words, situation = {}) => {
      const { terminal = false, columns, stdin, typed = '' } = situation
      const printed = { out: '', err: '' }
      let asked = 0
      const ask = async (question: string): Promise<string> => {
        printed.err += question
        asked += 1
        return typeof typed === 'string' ? typed : (typed[asked - 1] ?? '')
      }
      const code = await runCli(words, {
        environment: readEnvironment({
          XDG_CONFIG_HOME: join(folder, 'config'),
          ...variables,
          ...situation.variables,
        }),
        stdin: {
          isTty: stdin === undefined,
          pieces: async function* () {
            yield Buffer.from(stdin ?? '')
          },
          ask,
          askSecret: ask,
        },
        stdout: {
          isTty: terminal,
          columns,
          write: (piece) => {
            const text = String(typeof piece === 'string' ? piece : Buffer.from(piece))
            printed.out += text
            situation.onOut?.(text)
          },
        },
        stderr: {
          isTty: terminal,
          columns,
          write: (piece) => {
            printed.err += String(piece)
          },
        },
        nowMs: () => situation.nowMs ?? Date.now(),
        interrupted: situation.interrupted ?? new AbortController().signal,
        pause: async (ms) => {
          pauses.push(ms)
        },
      })
      return { code, ...printed, json: () => JSON.parse(printed.out) as Record<string, unknown> }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The text with every id replaced by its prefix and a number, in the order of their appearance. */
export function withoutIds(text: string): string {
  const seen = new Map<string, string>()
  return text.replace(/\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g, (id, prefix: string) => {
    if (!seen.has(id)) seen.set(id, `${prefix}_${String(seen.size + 1).padStart(26, '0')}`)
    return seen.get(id) ?? id
  })
}
