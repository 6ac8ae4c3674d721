/** Adds `vigil pull` and `vigil push`: the rulebook as a folder of files. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { exitCodes } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { openProgress } from '../terminal/progress.ts'
import { listResources, onDisk, refuseProblems } from './folder/problem.ts'
import { type Pulled, pullResources } from './folder/pull.ts'
import { readFolder } from './folder/readFolder.ts'
import { type PushOptions, push } from './pushCommand.ts'

/** Adds `pull` and `push`. */
export function addFolderCommands(program: Command, run: Run): void {
  describe(program, {
    usage: 'pull <folder>',
    summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
    example: 'vigil pull rulebook',
  })
    .option('--prune', 'remove the files of what the service does not have any more')
    .action(serve<PullOptions>(run, pull))
  describe(program, {
    usage: 'push <folder>',
    summary: 'Check the whole folder, then create and update what differs, all of it or nothing.',
    example: 'vigil push rulebook --dry-run',
  })
    .option('--prune', 'also delete what the folder does not have')
    .option(
      '--dry-run',
      `write nothing; end with ${exitCodes.differs} when there is something to write`,
    )
    .action(serve<PushOptions>(run, push))
}

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
