/** What `vigil restore` prints. */

import type { RestoredBackup } from '../../service/operations/backup/restoreBackup.ts'
import type { Restored } from '../../service/operations/restoreFolder.ts'
import { counted } from './onFolder.ts'

const flags = { log: '--accept-loss', keys: '--accept-key-loss' } as const

/** What is missing from a folder, and what became of that. */
export function lossLines({ folder, losses }: Restored): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return losses.flatMap(({ of, text, recorded_at }) => [
    `${text}.`,
    recorded_at === undefined
      ? `Nothing was changed. Put back the files as they were, or the newest backup; ${flags[of]} goes on without what is missing.`
      : `Accepted, and recorded at position ${recorded_at} of the log.`,
  ])
}

/** Whether the service can start on what was laid out. */
export function isDone({ laidOut, losses }: RestoredBackup): boolean {
  return laidOut !== undefined && losses.every(({ recorded_at }) => recorded_at !== undefined)
}

/** The facts for a program. */
export function backupShown(restored: RestoredBackup) {
  const { backup, manifest, folder, lack, laidOut, losses } = restored
  const { made_at, log, keys } = manifest
  const { keptKeys, replaced } = laidOut ?? {}
  return {
    ...{ folder, backup, made_at, log, keys },
    ...(lack && {
      lacks: { text: lack.text, events: lack.events, accounts: lack.accounts },
    }),
    laid_out: laidOut !== undefined,
    ...(replaced !== undefined && { replaced }),
    ...(keptKeys && { kept_keys: keptKeys.added, destroyed_again: keptKeys.destroyed }),
    losses,
  }
}

/** What was laid out, what is missing from it, and what to do next. */
export function laidOutLines(restored: RestoredBackup): readonly string[] {
  const { backup, manifest, folder, lack, laidOut, losses } = restored
  const made = `${backup}, made ${manifest.made_at},`
  if (!laidOut) {
    return [
      `${made} lacks something: ${lack?.text ?? ''}.`,
      'Nothing was changed. --accept-loss lays it out all the same, and records in the log what is given up.',
    ]
  }
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [
    `${made} is laid out in ${folder}: ${what}.`,
    ...(lack ? [`Given up: ${lack.text}.`] : []),
    ...keyLines(laidOut.keptKeys),
    ...(laidOut.replaced === undefined
      ? []
      : [`What stood there lies in ${laidOut.replaced}: delete it when all is well.`]),
    ...(losses.length === 0 ? [] : lossLines(restored)),
    ...(isDone(restored) ? ['The next start builds the read models again.'] : []),
  ]
}

type LaidOut = NonNullable<RestoredBackup['laidOut']>

function keyLines(kept: LaidOut['keptKeys']): readonly string[] {
  if (!kept) return []
  return [
    ...(kept.added > 0 ? [`${counted(kept.added, 'newer key')} that stood there were kept.`] : []),
    ...(kept.destroyed > 0
      ? [`${counted(kept.destroyed, 'key')} destroyed since the backup stay destroyed.`]
      : []),
  ]
}
