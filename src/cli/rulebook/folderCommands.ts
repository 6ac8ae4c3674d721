/** Declares `vigil pull`, `vigil diff` and `vigil push`: the rulebook as a folder of files. */

import { resolve } from 'node:path'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { exitCodes } from '../terminal/cliError.ts'
import { openProgress } from '../terminal/progress.ts'
import { diff } from './diffCommand.ts'
import { listResources, onDisk, refuseProblems } from './folder/problem.ts'
import { type Pulled, pullResources } from './folder/pull.ts'
import { readFolder } from './folder/readFolder.ts'
import { push } from './pushCommand.ts'

export const folderCommands: readonly CommandRow[] = [
  {
    usage: 'pull <folder>',
    summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
    example: 'vigil pull rulebook',
    options: { '--prune': 'remove the files of resources that the service no longer has' },
    run: pull,
  },
  {
    usage: 'diff <folder>',
    summary: `Show what differs, and whether it could be pushed; ends with ${exitCodes.differs} when something differs.`,
    example: 'vigil diff rulebook',
    run: diff,
  },
  {
    usage: 'push <folder>',
    summary: 'Check the whole folder, then create and update what differs, all of it or nothing.',
    example: 'vigil push rulebook --dry-run',
    options: {
      '--prune': 'also delete what the folder does not have',
      '--dry-run': `write nothing; end with ${exitCodes.differs} when there is something to write`,
    },
    run: push,
  },
]

interface PullOptions {
  readonly prune?: boolean
}

/** Writes what differs into the folder and says so. */
async function pull(
  invocation: Invocation,
  { prune = false }: PullOptions,
  dir = '',
): Promise<undefined> {
  const folder = resolve(dir)
  const { files, problems } = readFolder(folder)
  refuseProblems(problems)
  const views = await listResources(
    await invocation.client(),
    openProgress(invocation.context, invocation.flags),
  )
  const pulled = onDisk(() => pullResources({ folder, prune }, files, views))
  invocation.print({ pulled }, () => [
    ...pulled.map(({ action, file }) => `${action}  ${file}`),
    pulledSentence(pulled),
  ])
}

function pulledSentence(pulled: readonly Pulled[]): string {
  const unknown = pulled.filter(({ action }) => action === 'unknown').length
  if (pulled.length === unknown && unknown === 0) return 'Nothing differs.'
  const left =
    unknown === 0
      ? ''
      : ` ${unknown} unknown to the service and left (--prune removes those with an id).`
  return `${pulled.length - unknown} changed.${left}`
}
