/** `vigil pull`, `vigil diff` and `vigil push`: rules, recipes and flows as a folder of files. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'
import { printable } from '../terminal/printable.ts'
import { openProgress } from '../terminal/progress.ts'
import { changeFacts, changeLines, goneProblem } from './changesView.ts'
import { type Change, listChanges } from './folder/changes.ts'
import { danglingReferences, strangePins } from './folder/crossCheck.ts'
import type { Kind } from './folder/kind.ts'
import { listResources } from './folder/listResources.ts'
import { onDisk, refuseProblems } from './folder/problem.ts'
import { type Pulled, pullResources } from './folder/pull.ts'
import { pushSteps, stepsOf, unsaidDeletions } from './folder/push.ts'
import { assertRulebook, type ByKind, readFolder } from './folder/readFolder.ts'
import type { ResourceFile } from './folder/resourceFile.ts'

/** Adds `pull`, `diff` and `push`. */
export function addFolderCommands(program: Command, run: Run): void {
  describe(program, {
    usage: 'pull <folder>',
    summary: 'Write all rules, recipes and flows into a folder of YAML files.',
    example: 'vigil pull rulebook',
  })
    .option('--prune', 'remove the files of what the service does not have any more')
    .action(serve<PruneOptions>(run, pull))
  describe(program, {
    usage: 'diff <folder>',
    summary: `Show what a push would change; ends with ${exitCodes.differences} when something differs.`,
    example: 'vigil diff rulebook',
  }).action(serve(run, diff))
  describe(program, {
    usage: 'push <folder>',
    summary: 'Create and update what differs; nothing is written when nothing does.',
    example: 'vigil push rulebook',
  })
    .option('--prune', 'also delete what the folder does not have')
    .action(serve<PruneOptions>(run, push))
}

interface PruneOptions {
  readonly prune?: boolean
}

async function pull(
  invocation: Invocation,
  { prune = false }: PruneOptions,
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

interface Compared {
  readonly client: Client
  readonly folder: string
  readonly files: ByKind<ResourceFile>
  readonly absent: ReadonlySet<Kind>
  readonly changes: readonly Change[]
}

async function compare({ client, context, flags }: Invocation, dir: string): Promise<Compared> {
  const folder = resolve(dir)
  assertRulebook(folder)
  const { files, absent, slugs, outlines, problems } = readFolder(folder)
  refuseProblems([...problems, ...danglingReferences(outlines, slugs), ...strangePins(outlines)])
  const connected = await client()
  const views = await listResources(connected, openProgress(context, flags))
  return { client: connected, folder, files, absent, changes: listChanges(files, views) }
}

async function diff(invocation: Invocation, _: object, dir = ''): Promise<ExitCode> {
  const { changes } = await compare(invocation, dir)
  invocation.print({ differences: changes.map(changeFacts) }, () =>
    changeLines(changes, invocation.paint),
  )
  return changes.length === 0 ? exitCodes.done : exitCodes.differences
}

interface Done {
  readonly change: Change
  readonly id: string | undefined
}

async function push(
  invocation: Invocation,
  { prune = false }: PruneOptions,
  dir = '',
): Promise<undefined> {
  const compared = await compare(invocation, dir)
  const { changes, absent } = compared
  refuseProblems([
    ...changes.filter(({ action }) => action === 'gone').map(goneProblem),
    ...(prune ? unsaidDeletions(changes, absent) : []),
  ])
  const steps = stepsOf(changes, prune)
  const left = prune ? [] : changes.filter(({ action }) => action === 'delete')
  const done: Done[] = []
  const progress = openProgress(invocation.context, invocation.flags)
  try {
    await pushSteps(
      {
        ...compared,
        interrupted: invocation.context.interrupted,
        onDone: (change, id) => {
          done.push({ change, id })
          progress.show(`pushing: ${done.length} of ${steps.length}`)
        },
      },
      steps,
    )
  } catch (thrown) {
    progress.clear()
    report(invocation, { done, steps, left })
    throw thrown
  }
  progress.clear()
  report(invocation, { done, steps, left })
}

interface Report {
  readonly done: readonly Done[]
  readonly steps: readonly Change[]
  readonly left: readonly Change[]
}

/** What was done, what was not, and what was never meant to be. */
function report({ print }: Invocation, { done, steps, left }: Report): void {
  const notDone = steps.slice(done.length)
  const facts = {
    done: done.map(({ change, id }) => ({ ...brief(change), id })),
    not_done: notDone.map(brief),
    only_on_the_service: left.map(brief),
  }
  print(facts, () => [
    ...done.map(
      ({ change, id }) => `${past[change.action]}  ${change.name}  ${printable(id ?? '')}`,
    ),
    ...notDone.map(({ action, name }) => `not done: ${action}  ${name}`),
    ...(steps.length === 0 ? ['Nothing differs that a push would write.'] : []),
    ...(left.length === 0
      ? []
      : [`${left.length} only on the service, left there (--prune deletes).`]),
  ])
}

const past: Readonly<Record<Change['action'], string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  gone: 'gone',
}

function brief({ action, name, id }: Change): object {
  return { action, file: name, id }
}
