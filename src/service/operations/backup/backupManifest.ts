/** `backup.json`: what a backup holds, so that one that was changed, cut or put together of two is known. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'

/** The files that a backup may have, by the names they have in a data folder. */
const backupFiles = ['log.db', 'keys.db', 'operator.token.sha256', 'master.key'] as const

export type BackupFile = (typeof backupFiles)[number]

export interface BackupManifest {
  /** A newer program may write another one. */
  readonly format: 1
  /** When it was begun: ISO 8601. */
  readonly made_at: string
  readonly log: {
    readonly events: number
    /** Of the last event, and its id; 0 and empty without one. */
    readonly position: number
    readonly id: string
    /** See `logDigest`. */
    readonly digest: string
  }
  readonly keys: { readonly keys: number; readonly destroyed: number }
  readonly files: readonly {
    readonly name: BackupFile
    readonly bytes: number
    readonly sha256: string
  }[]
}

const count = { type: 'integer', minimum: 0 }
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' }
const closed = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required: Object.keys(properties),
})

const isManifest = new Ajv().compile<BackupManifest>(
  closed({
    format: { const: 1 },
    made_at: { type: 'string', maxLength: 40 },
    log: closed({
      events: count,
      position: count,
      id: { type: 'string', maxLength: 36 },
      digest: sha256,
    }),
    keys: closed({ keys: count, destroyed: count }),
    files: {
      type: 'array',
      maxItems: backupFiles.length,
      items: closed({ name: { enum: backupFiles }, bytes: count, sha256 }),
    },
  }),
)

/** Writes it into the folder of a backup. Throws what the disk says. */
export function writeManifest(folder: string, manifest: BackupManifest): void {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  writeFileSync(pathIn(folder), text, { mode: 0o600, flag: 'wx' })
}

/** Reads it. Throws an `Error` that says what to do when the folder is no backup, or one of a newer version. */
export function readManifest(folder: string): BackupManifest {
  const manifest = parsed(folder)
  if (isManifest(manifest)) return manifest
  const { format } = (manifest ?? {}) as { readonly format?: unknown }
  const why =
    typeof format === 'number' && format > 1
      ? 'a newer version of the program has made it'
      : 'it has been changed'
  throw new Error(`Cannot use ${pathIn(folder)}: ${why}.`)
}

function parsed(folder: string): unknown {
  let text: string
  try {
    text = readFileSync(pathIn(folder), 'utf8')
  } catch (cause) {
    throw new Error(
      `${folder} is no backup that vigil backup has finished: it has no backup.json that can be read.`,
      { cause },
    )
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function pathIn(folder: string): string {
  return join(folder, 'backup.json')
}
