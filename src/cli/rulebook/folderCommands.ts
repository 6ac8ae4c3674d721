/** Declares `vigil pull` and `vigil push`: the rulebook as a folder of files. */

import { resolve } from 'node:path'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { openProgress, printable } from '../terminal/screen.ts'
import { goneProblem } from './changesView.ts'
import { type Compared, compareFolder } from './compareFolder.ts'
import { asQuestion } from './diffCommand.ts'
import { validateChanges } from './folder/changeRequest.ts'
import type { Change } from './folder/changes.ts'
import {
  type FolderProblem,
  listResources,
  onDisk,
  placed,
  refuseProblems,
} from './folder/problem.ts'
import { type Pulled, pullResources } from './folder/pull.ts'
import { pushSteps, stepsOf, unconfirmedDeletions } from './folder/push.ts'
import { readFolder } from './folder/readFolder.ts'

export const folderCommands: readonly CommandRow[] = [
  {
    usage: 'pull <folder>',
    summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
    example: 'vigil pull rulebook',
    options: { '--prune': 'remove the files of resources that the service no longer has' },
    run: pull,
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

/** Writes what differs into the folder. */
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

interface PushOptions {
  readonly prune?: boolean
  readonly dryRun?: boolean
}

/** Checks the folder, then writes it; with `dryRun` only reports what it would write. */
async function push(
  invocation: Invocation,
  { prune = false, dryRun = false }: PushOptions,
  dir = '',
): Promise<ExitCode> {
  if (dryRun) {
    return asQuestion(async () => {
      const planned = await plan(invocation, dir, prune)
      reportPlan(invocation, planned)
      return planned.steps.length === 0 ? exitCodes.done : exitCodes.differs
    })
  }
  await carryOut(invocation, await plan(invocation, dir, prune))
  return exitCodes.done
}

interface Planned extends Compared {
  readonly steps: readonly Change[]
  /** What only the service has, and the push does not delete. */
  readonly left: readonly Change[]
  readonly warnings: readonly FolderProblem[]
}

/** The steps of the push, all of which can be done. Throws `usage` with every problem. */
async function plan(invocation: Invocation, dir: string, prune: boolean): Promise<Planned> {
  const compared = await compareFolder(invocation, dir)
  const { changes, absent, texts } = compared
  const steps = stepsOf(changes, prune)
  const { problems, warnings } = await validateChanges(
    compared,
    steps.filter(({ action }) => action !== 'adopt'),
  )
  refuseProblems(
    [
      ...changes.filter(({ action }) => action === 'gone').map(goneProblem),
      ...(prune ? unconfirmedDeletions(changes, absent) : []),
      ...problems,
    ],
    { texts },
  )
  const left = prune ? [] : changes.filter(({ action }) => action === 'delete')
  return { ...compared, steps, left, warnings }
}

interface Done {
  readonly change: Change
  readonly id: string | undefined
}

async function carryOut(invocation: Invocation, planned: Planned): Promise<void> {
  const { steps } = planned
  const { interrupted } = invocation.context
  const done: Done[] = []
  const progress = openProgress(invocation.context, invocation.flags)
  const onDone = (change: Change, id: string | undefined): void => {
    done.push({ change, id })
    progress.show(`pushing: ${done.length} of ${steps.length}`)
  }
  try {
    await pushSteps({ ...planned, interrupted, onDone }, steps)
  } finally {
    progress.clear()
    report(invocation, planned, done)
  }
}

/** Prints what was done, what was not, and what only the service has. */
function report(
  { print, warn }: Invocation,
  { steps, left, warnings }: Planned,
  done: readonly Done[],
): void {
  const finished = new Set(done.map(({ change }) => change))
  const notDone = steps.filter((step) => !finished.has(step))
  const facts = {
    done: done.map(({ change, id }) => ({ ...brief(change), id })),
    not_done: notDone.map(brief),
    only_on_the_service: left.map(brief),
    ...(warnings.length > 0 && { warnings }),
  }
  print(facts, () => [
    ...done.map(
      ({ change, id }) => `${past[change.action]}  ${change.name}  ${printable(id ?? '')}`,
    ),
    ...notDone.map(({ action, name }) => `not done: ${action}  ${name}`),
    ...closingLines(steps, left),
  ])
  warn(warnings.map(placed))
}

function reportPlan({ print, warn }: Invocation, { steps, left, warnings }: Planned): void {
  const facts = {
    to_do: steps.map(brief),
    only_on_the_service: left.map(brief),
    ...(warnings.length > 0 && { warnings }),
  }
  print(facts, () => [
    ...steps.map(
      ({ action, name, id }) => `would ${action}  ${name}${id === undefined ? '' : `  ${id}`}`,
    ),
    ...closingLines(steps, left),
  ])
  warn(warnings.map(placed))
}

function closingLines(steps: readonly Change[], left: readonly Change[]): readonly string[] {
  return [
    ...(steps.length === 0 ? ['Nothing differs that a push would write.'] : []),
    ...(left.length === 0
      ? []
      : [`${left.length} only on the service, left there (--prune deletes).`]),
  ]
}

const past: Readonly<Record<Change['action'], string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  gone: 'gone',
  adopt: 'adopted',
}

function brief({ action, name, id }: Change): object {
  return { action, file: name, id }
}
