/** Declares `vigil pull` and `vigil push`, runs `vigil diff` for a folder, and formats changes. */

import { resolve } from 'node:path'
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { createCliError, type ExitCode, exitCodes, isCliError } from '../terminal/cliError.ts'
import { escapeControls, openProgress, type Paint } from '../terminal/screen.ts'
import {
  type Action,
  compareFolder,
  type FolderChange,
  type FolderComparison,
  fetchResources,
  isWrittenByPush,
} from './folder/compareFolder.ts'
import {
  appendPosition,
  assertNoProblems,
  type FolderProblem,
  formatProblem,
} from './folder/folderProblem.ts'
import { type PulledFile, pullResources } from './folder/pull.ts'
import { listUnconfirmedDeletions, orderSteps, pushSteps, validateChanges } from './folder/push.ts'
import { readFolder } from './folder/readFolder.ts'
import { renderResource } from './folder/resourceFile.ts'

export const pullCommand: CommandDefinition = {
  summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
  options: { '--prune': 'remove the files of resources that the service no longer has' },
  run: pull,
}

export const pushCommand: CommandDefinition = {
  summary: 'Check the whole folder, then create and update what differs, all of it or nothing.',
  example: '--dry-run',
  options: {
    '--prune': 'also delete what the folder does not have',
    '--dry-run': `write nothing; end with ${exitCodes.foundDifferences} when there is something to write`,
  },
  run: push,
}

/** Writes what differs into the folder. */
async function pull(invocation: Invocation): Promise<undefined> {
  const { given } = invocation
  const folder = resolve(given('<folder>') ?? '')
  const { files, problems } = readFolder(folder)
  assertNoProblems(problems)
  const views = await fetchResources(invocation)
  const pulled = pullResources({ folder, prune: given('--prune') !== undefined }, files, views)
  invocation.print({ pulled }, () => [
    ...pulled.map(({ action, file }) => `${action}  ${file}`),
    formatPulledSummary(pulled),
  ])
}

function formatPulledSummary(pulled: readonly PulledFile[]): string {
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
      formatChanges(changes, invocation.paint),
    )
    const { problems, warnings } = await validateChanges(compared, changes.filter(isWrittenByPush))
    assertNoProblems(problems, texts)
    invocation.warn(warnings.map(appendPosition))
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
async function push(invocation: Invocation): Promise<ExitCode> {
  const { given } = invocation
  const [dir = '', isPruning] = [given('<folder>'), given('--prune') !== undefined]
  if (given('--dry-run')) {
    return withUsageExitCode(async () => {
      const planned = await planPush(invocation, dir, isPruning)
      const { steps } = planned
      printPush(invocation, planned, {
        facts: { to_do: steps.map(summarizeChange) },
        lines: steps.map(
          ({ action, name, id }) => `would ${action}  ${name}${id === undefined ? '' : `  ${id}`}`,
        ),
      })
      return steps.length === 0 ? exitCodes.done : exitCodes.foundDifferences
    })
  }
  await executePush(invocation, await planPush(invocation, dir, isPruning))
  return exitCodes.done
}

interface Planned extends FolderComparison {
  readonly steps: readonly FolderChange[]
  /** What only the service has, and the push does not delete. */
  readonly left: readonly FolderChange[]
  readonly warnings: readonly FolderProblem[]
}

/** The steps of the push, all of which can be done. Throws `usage` with every problem. */
async function planPush(invocation: Invocation, dir: string, prune: boolean): Promise<Planned> {
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
    printPush(invocation, planned, {
      facts: {
        done: [...done].map(([change, id]) => ({ ...summarizeChange(change), id })),
        not_done: notDone.map(summarizeChange),
      },
      lines: [
        ...[...done].map(
          ([{ action, name }, id]) => `${pastTenses[action]}  ${name}  ${escapeControls(id ?? '')}`,
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
function printPush(
  { print, warn }: Invocation,
  { steps, left, warnings }: Planned,
  { facts, lines }: Report,
): void {
  const only = { only_on_the_service: left.map(summarizeChange) }
  print({ ...facts, ...only, ...(warnings.length > 0 && { warnings }) }, () => [
    ...lines,
    ...(steps.length === 0 ? ['Nothing differs that a push would write.'] : []),
    ...(left.length === 0
      ? []
      : [`${left.length} only on the service, left there (--prune deletes).`]),
  ])
  warn(warnings.map(appendPosition))
}

const pastTenses: Readonly<Record<FolderChange['action'], string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  gone: 'gone',
  adopt: 'adopted',
}

function summarizeChange({ action, name, id }: FolderChange): object {
  return { action, file: name, id }
}

/** Changed lines beyond which two texts count as wholly different: comparing takes the square of them. */
const changesMax = 2_000
const contextLines = 3

const verbs: Readonly<Record<Action, string>> = {
  create: 'to create',
  update: 'to update',
  delete: 'only on the service',
  gone: 'gone from the service',
  adopt: 'already on the service, its id to be written into the file',
}

/** A unified diff of each change, from the service to the folder, and a count. */
function formatChanges(changes: readonly FolderChange[], paint: Paint): readonly string[] {
  if (changes.length === 0) return ['Nothing differs.']
  return [
    ...changes.flatMap((change) => [...formatChange(change, paint), '']),
    formatChangeCounts(changes),
  ]
}

/** The change as `--json` prints it. */
function changeFacts({ action, kind, name, id, service, folder }: FolderChange): object {
  return { action, kind, file: name, id, service, folder }
}

/** The problem of a file whose resource no longer exists. */
function missingResourceProblem({ name, id }: FolderChange): FolderProblem {
  return {
    path: name,
    message: `the service has nothing with the id ${id}; remove the id to create it again, or the file.`,
  }
}

function formatChange(change: FolderChange, paint: Paint): readonly string[] {
  const { action, name, id, service, folder } = change
  const title = paint('bold', `${name}  ${verbs[action]}${id === undefined ? '' : `  ${id}`}`)
  if (action === 'gone') return [title, formatProblem(missingResourceProblem(change))]
  if (action === 'adopt') return [title]
  const text = (fields: FolderChange['folder']): string => (fields ? renderResource(fields) : '')
  return [
    title,
    `--- ${service ? `service/${name}` : '/dev/null'}`,
    `+++ ${folder ? `folder/${name}` : '/dev/null'}`,
    ...unifiedDiff(text(service), text(folder)).map((line) => formatDiffLine(line, paint)),
  ]
}

function formatDiffLine(line: string, paint: Paint): string {
  const shown = escapeControls(line)
  if (line.startsWith('+')) return paint('green', shown)
  if (line.startsWith('-')) return paint('red', shown)
  return line.startsWith('@@') ? paint('cyan', shown) : shown
}

function formatChangeCounts(changes: readonly FolderChange[]): string {
  const actions = Object.keys(verbs) as readonly Action[]
  return `${actions
    .map((action) => ({ action, count: changes.filter((one) => one.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} ${verbs[action]}`)
    .join(', ')}.`
}

/** Diff lines starting with `@@`, space, `-` or `+`; none for equal texts. Both end with a line break or are empty. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const options = { context: contextLines, maxEditLength: changesMax }
  const found = structuredPatch('', '', before, after, undefined, undefined, options)
  const hunks = found?.hunks ?? [buildWholeHunk(before, after)]
  const patch = { hunks, oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' }
  return hunks.length === 0 ? [] : formatPatch(patch, OMIT_HEADERS).split('\n').slice(0, -1)
}

/** Replaces a text as a whole. */
function buildWholeHunk(before: string, after: string): StructuredPatchHunk {
  const [removed, added] = [prefixLines('-', before), prefixLines('+', after)]
  const [oldLines, newLines] = [removed.length, added.length]
  return { oldStart: 1, newStart: 1, oldLines, newLines, lines: [...removed, ...added] }
}

function prefixLines(sign: string, text: string): readonly string[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => sign + line)
}
