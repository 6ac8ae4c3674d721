/** Declares `vigil pull` and `vigil push`, and runs `vigil diff` for a folder. */

import { resolve } from 'node:path'
import type { CommandDefinition, ReadParameter } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { createCliError, type ExitCode, exitCodes, isCliError } from '../terminal/cliError.ts'
import { escapeControls, openProgress } from '../terminal/screen.ts'
import { changeFacts, changeLines, missingResourceProblem } from './changesView.ts'
import { validateChanges } from './folder/changeRequest.ts'
import type { FolderChange } from './folder/changes.ts'
import {
  compareFolder,
  type FolderComparison,
  fetchResources,
  isWrittenByPush,
} from './folder/compareFolder.ts'
import { assertNoProblems, type FolderProblem, withPosition } from './folder/folderProblem.ts'
import { type PulledFile, pullResources } from './folder/pull.ts'
import { listUnconfirmedDeletions, orderSteps, pushSteps } from './folder/push.ts'
import { readFolder } from './folder/readFolder.ts'

export const pullCommand: CommandDefinition = {
  summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
  options: { '--prune': 'remove the files of resources that the service no longer has' },
  run: pull,
}

export const pushCommand: CommandDefinition = {
  summary: 'Check the whole folder, then create and update what differs, all of it or nothing.',
  example: 'vigil push rulebook --dry-run',
  options: {
    '--prune': 'also delete what the folder does not have',
    '--dry-run': `write nothing; end with ${exitCodes.foundDifferences} when there is something to write`,
  },
  run: push,
}

/** Writes what differs into the folder. */
async function pull(invocation: Invocation, given: ReadParameter): Promise<undefined> {
  const folder = resolve(given('<folder>') ?? '')
  const { files, problems } = readFolder(folder)
  assertNoProblems(problems)
  const views = await fetchResources(invocation, await invocation.getClient())
  const pulled = pullResources({ folder, prune: given('--prune') !== undefined }, files, views)
  invocation.print({ pulled }, () => [
    ...pulled.map(({ action, file }) => `${action}  ${file}`),
    pulledSentence(pulled),
  ])
}

function pulledSentence(pulled: readonly PulledFile[]): string {
  if (pulled.length === 0) return 'Nothing differs.'
  const unknown = pulled.filter(({ action }) => action === 'unknown').length
  const left =
    unknown === 0
      ? ''
      : ` ${unknown} unknown to the service and left (--prune removes those with an id).`
  return `${pulled.length - unknown} changed.${left}`
}

/** Shows every difference between the folder and the service, and fails on problems that prevent a push. */
export function diffFolder(invocation: Invocation, dir: string): Promise<ExitCode> {
  return withUsageExitCode(async () => {
    const compared = await compareFolder(invocation, dir)
    const { changes, texts } = compared
    invocation.print({ differences: changes.map(changeFacts) }, () =>
      changeLines(changes, invocation.paint),
    )
    const { problems, warnings } = await validateChanges(compared, changes.filter(isWrittenByPush))
    assertNoProblems(problems, texts)
    invocation.warn(warnings.map(withPosition))
    return changes.length === 0 ? exitCodes.done : exitCodes.foundDifferences
  })
}

/** Exit code 1 means that something differs, so refusals of the service end with `usage` (2) instead. */
export async function withUsageExitCode(ask: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await ask()
  } catch (thrown) {
    if (!isCliError(thrown) || thrown.exitCode !== exitCodes.refused) throw thrown
    throw createCliError(thrown.message, exitCodes.usage, thrown.facts)
  }
}

/** Checks the folder, then writes it; with `--dry-run` only reports what it would write. */
async function push(invocation: Invocation, given: ReadParameter): Promise<ExitCode> {
  const [dir = '', isPruning] = [given('<folder>'), given('--prune') !== undefined]
  if (given('--dry-run')) {
    return withUsageExitCode(async () => {
      const planned = await plan(invocation, dir, isPruning)
      const { steps } = planned
      report(invocation, planned, {
        facts: { to_do: steps.map(brief) },
        lines: steps.map(
          ({ action, name, id }) => `would ${action}  ${name}${id === undefined ? '' : `  ${id}`}`,
        ),
      })
      return steps.length === 0 ? exitCodes.done : exitCodes.foundDifferences
    })
  }
  await executePush(invocation, await plan(invocation, dir, isPruning))
  return exitCodes.done
}

interface Planned extends FolderComparison {
  readonly steps: readonly FolderChange[]
  /** What only the service has, and the push does not delete. */
  readonly left: readonly FolderChange[]
  readonly warnings: readonly FolderProblem[]
}

/** The steps of the push, all of which can be done. Throws `usage` with every problem. */
async function plan(invocation: Invocation, dir: string, prune: boolean): Promise<Planned> {
  const compared = await compareFolder(invocation, dir)
  const { changes, missingKinds: absent, texts } = compared
  const steps = orderSteps(changes, prune)
  const { problems, warnings } = await validateChanges(
    compared,
    steps.filter(({ action }) => action !== 'adopt'),
  )
  assertNoProblems(
    [
      ...changes.filter(({ action }) => action === 'gone').map(missingResourceProblem),
      ...(prune ? listUnconfirmedDeletions(changes, absent) : []),
      ...problems,
    ],
    texts,
  )
  const left = prune ? [] : changes.filter(({ action }) => action === 'delete')
  return { ...compared, steps, left, warnings }
}

/** Writes the steps, and reports what was done and what was not. */
async function executePush(invocation: Invocation, planned: Planned): Promise<void> {
  const { steps } = planned
  const { context, flags } = invocation
  const done = new Map<FolderChange, string | undefined>()
  const progress = openProgress(context, flags)
  const onDone = (change: FolderChange, id: string | undefined): void => {
    done.set(change, id)
    progress.show(`pushing: ${done.size} of ${steps.length}`)
  }
  try {
    await pushSteps({ ...planned, interrupted: context.interrupted, onDone }, steps)
  } finally {
    progress.clear()
    const notDone = steps.filter((step) => !done.has(step))
    report(invocation, planned, {
      facts: {
        done: [...done].map(([change, id]) => ({ ...brief(change), id })),
        not_done: notDone.map(brief),
      },
      lines: [
        ...[...done].map(
          ([{ action, name }, id]) => `${past[action]}  ${name}  ${escapeControls(id ?? '')}`,
        ),
        ...notDone.map(({ action, name }) => `not done: ${action}  ${name}`),
      ],
    })
  }
}

interface Report {
  readonly facts: object
  readonly lines: readonly string[]
}

/** Prints the report, what only the service has, and warnings. */
function report(
  { print, warn }: Invocation,
  { steps, left, warnings }: Planned,
  { facts, lines }: Report,
): void {
  const only = { only_on_the_service: left.map(brief) }
  print({ ...facts, ...only, ...(warnings.length > 0 && { warnings }) }, () => [
    ...lines,
    ...(steps.length === 0 ? ['Nothing differs that a push would write.'] : []),
    ...(left.length === 0
      ? []
      : [`${left.length} only on the service, left there (--prune deletes).`]),
  ])
  warn(warnings.map(withPosition))
}

const past: Readonly<Record<FolderChange['action'], string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  gone: 'gone',
  adopt: 'adopted',
}

function brief({ action, name, id }: FolderChange): object {
  return { action, file: name, id }
}
