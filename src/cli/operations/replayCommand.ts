/** Declares `vigil replay`: one evaluation, or all of the account or of a data folder. */

import { availableParallelism } from 'node:os'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import type { ReplayView } from '../../state/audit/replayStreamType.ts'
import {
  type CommandDefinition,
  fillFields,
  type ReadParameter,
} from '../connecting/commandDefinition.ts'
import {
  createInterruptedError,
  followJob,
  openLogProgress,
  requireDone,
} from '../connecting/followJob.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { requireEntries } from '../connecting/pagination.ts'
import { namedResources, resolveResourceId } from '../connecting/resourceId.ts'
import { exampleEvaluationId, replayOneEvaluation } from '../evaluation/evaluationCommands.ts'
import { type ExitCode, exitCodes, isCliError, usageError } from '../terminal/cliError.ts'
import {
  integerOption,
  positionOption,
  timeFormats,
  timeOption,
  timeOrPositionFormats,
  timeOrPositionOption,
} from '../terminal/optionValues.ts'
import { escapeControls, formatCount } from '../terminal/screen.ts'
import { formatFields } from '../terminal/table.ts'
import { parseMasterKey, resolveServers, runOnDataFolder } from './dataFolderCommands.ts'

const path = '/v2/watch/audit/replays'
const threadsMax = 64

/** Options of a replay of all evaluations. */
const ofAllOnly = ['--since', '--until', '--flow', '--after', '--data', '--threads'] as const

export const replayCommand: CommandDefinition = {
  arguments: { '[evaluation]': 'its id, or last, which is the default' },
  summary:
    'Compute a recorded evaluation again from its record, or with --all every one, and compare.',
  example: `vigil replay ${exampleEvaluationId}
vigil replay last --as-of monday
vigil replay --all --since 7d
vigil replay --all --data /var/lib/vigil`,
  options: {
    '--as-of <time>': timeOrPositionOption(
      `run what was configured then: ${timeOrPositionFormats}`,
    ),
    '--all': 'every recorded evaluation of the account',
    '--since <time>': timeOption(`only those evaluated from this time on: ${timeFormats}`),
    '--until <time>': timeOption('only those before this time'),
    '--flow <flow>': 'only those of this flow: its name or id',
    '--after <position>': positionOption('only those behind this position of the log'),
    '--data <folder>': 'those of all accounts in this data folder, without a service',
    '--threads <count>': integerOption(
      'with --data: threads (default: one for each processor)',
      1,
      threadsMax,
    ),
  },
  run: replay,
}

async function replay(invocation: Invocation): Promise<ExitCode> {
  const { given } = invocation
  const all = given('--all')
  const [other] = ofAllOnly.filter((source) => given(source) !== undefined)
  if (all && given('<evaluation>') !== undefined) {
    throw usageError('Give an evaluation or --all, not both.')
  }
  if (!all && other !== undefined) throw usageError(`${other} needs --all.`)
  if (!all) return replayOneEvaluation(invocation)
  if (given('--as-of')) throw usageError('--as-of is for one evaluation, not for --all.')
  if (given('--data') !== undefined) return replayFolder(invocation)
  if (given('--threads') !== undefined) throw usageError('--threads needs --data.')
  return replayAccount(invocation)
}

async function replayAccount(invocation: Invocation): Promise<ExitCode> {
  const job = await startReplay(invocation)
  const shown = await followJob(invocation, { path, job, formatProgress, goOn })
  const exitCode = printReport(invocation, shown)
  requireDone('replay', { job: shown, goOn })
  return exitCode
}

function formatProgress({ reported_at, started_at, ...of }: ReplayView): string {
  return formatPace({
    at: Number(of.position),
    after: Number(of.after),
    end: Number(of.end),
    evaluations: of.match + of.mismatch + of.evidence_erased,
    ms: Date.parse(reported_at) - Date.parse(started_at),
  })
}

function goOn({ position }: Pick<ReplayView, 'position'>) {
  return { with: `--after ${position}`, facts: { position } }
}

/** Starts a replay; without options it follows the one that runs already. */
async function startReplay({ client, context, given }: Invocation): Promise<ReplayView> {
  const flow = given('--flow')
  const flow_id = flow && (await resolveResourceId(client, namedResources.flows, flow))
  const body = {
    ...fillFields({ from: '--since', to: '--until' }, given),
    after: given<number>('--after')?.toString(),
    flow_id,
  }
  if (Object.values(body).every((value) => value === undefined)) {
    const [last] = requireEntries<ReplayView>(await client('GET', path), 'replays')
    if (last?.state === 'RUNNING') {
      context.stderr.write(`Following the replay that is running: ${escapeControls(last.id)}\n`)
      return last
    }
    if (last && last.state !== 'DONE') {
      const { state, position } = last
      context.stderr.write(
        `The last replay ended ${state}: --after ${position} would go on there.\n`,
      )
    }
  }
  return client('POST', path, { body })
}

async function replayFolder(invocation: Invocation): Promise<ExitCode> {
  const { context, given } = invocation
  const { environment, interrupted, nowMs } = context
  const after = given<number>('--after')
  resolveServers(environment)
  const filter = readFilter(given)
  const progress = openLogProgress(invocation)
  const startedMs = nowMs()
  let reached = after ?? 0
  try {
    const made = await runOnDataFolder(invocation, async ({ signal }) => {
      // Loaded only here: every other command is a client, and starts without the stores.
      const queries = await import('../../queries/audit/replays/replayFolder.ts')
      return queries.replayFolder({
        dataFolder: given('--data') ?? '',
        filter,
        signal,
        threads: given<number>('--threads') ?? Math.min(threadsMax, availableParallelism()),
        ...(after !== undefined && { after }),
        masterKey: parseMasterKey(environment.masterKey),
        onProgress: ({ position: at, end, evaluations }) => {
          reached = at
          progress.show(formatPace({ at, after, end, evaluations, ms: nowMs() - startedMs }))
        },
      })
    })
    progress.clear()
    return printReport(invocation, {
      ...made,
      after: String(made.after),
      position: String(made.position),
      mismatches: made.mismatches.map((one) => ({ ...one, position: String(one.position) })),
    })
  } catch (thrown) {
    if (!interrupted.aborted || !isCliError(thrown)) throw thrown
    const { with: how, facts } = goOn({ position: String(reached) })
    throw createInterruptedError(how, facts)
  }
}

/** Throws `usage` for a flow by its name, which only a service knows. */
function readFilter(given: ReadParameter) {
  const [flow, since, until] = [given('--flow'), given('--since'), given('--until')]
  if (flow !== undefined && !isId(idPrefixes.flow, flow)) {
    throw usageError('With --data, --flow takes the id of a flow (flo_…).')
  }
  return {
    ...(flow !== undefined && { flow_id: flow }),
    ...(since !== undefined && { from_ms: parseIsoTimeMs(since) ?? 0 }),
    ...(until !== undefined && { to_ms: parseIsoTimeMs(until) ?? 0 }),
  }
}

interface Pace {
  readonly at: number
  readonly after: number | undefined
  readonly end: number
  readonly evaluations: number
  /** For how long it has run. */
  readonly ms: number
}

/** How far it is, at what rate, for how long still, and where it would go on. */
function formatPace({ at, after = 0, end, evaluations, ms }: Pace): string {
  const share = end > after ? (at - after) / (end - after) : 1
  const rate = ms > 0 ? Math.round((evaluations * 1_000) / ms) : 0
  const left = share > 0 ? `${Math.ceil((ms / share - ms) / 1_000)} s left` : 'beginning'
  return `Replaying: ${Math.floor(share * 100)} %, ${formatCount(evaluations, 'evaluation')}, ${rate.toLocaleString('en')}/s, ${left} (--after ${at})`
}

type Report = Pick<ReplayView, 'match' | 'mismatch' | 'evidence_erased' | 'mismatches'> & {
  readonly after?: string
  readonly position?: string
}

function printReport({ print }: Invocation, report: Report): ExitCode {
  const { match, mismatch, evidence_erased, mismatches } = report
  const more = mismatch - mismatches.length
  print(report, () => [
    ...formatFields({ MATCH: match, MISMATCH: mismatch, EVIDENCE_ERASED: evidence_erased }),
    ...mismatches.map(({ evaluation_id, position: at, reason }) =>
      escapeControls(`  ${evaluation_id} at ${at}: ${reason}`),
    ),
    ...(more > 0 ? [`  and ${more.toLocaleString('en')} more`] : []),
  ])
  return mismatch > 0 ? exitCodes.foundDifferences : exitCodes.done
}
