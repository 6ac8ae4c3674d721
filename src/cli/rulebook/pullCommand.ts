/** `vigil pull`: the service's lists, rules, recipes and flows as a folder of files. */

import { resolve } from 'node:path'
import type { Invocation } from '../connecting/invocation.ts'
import { openProgress } from '../terminal/progress.ts'
import { listResources } from './folder/listResources.ts'
import { onDisk, refuseProblems } from './folder/problem.ts'
import { type Pulled, pullResources } from './folder/pull.ts'
import { readFolder } from './folder/readFolder.ts'

export interface PullOptions {
  readonly prune?: boolean
}

/** Writes what differs into the folder and says so. */
export async function pull(
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
