/** Builds and runs the `vigil` program: all commands, global flags, help and exit codes. */

import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import {
  accessCommand,
  accountCommands,
  sdkKeyCommands,
  tokenCommands,
} from './accounts/accountCommands.ts'
import { recipeComparisonCommand, ruleUsageCommand } from './analysis/analysisCommands.ts'
import { backtestCommand, backtestCommands } from './analysis/backtestCommand.ts'
import { reviewCommands, searchCommands } from './analysis/reviewCommands.ts'
import { rulesReportCommand } from './analysis/rulesReportCommand.ts'
import { missingCommand, topCommand } from './analysis/scanCommands.ts'
import { statsCommand } from './analysis/statsCommand.ts'
import { testRuleOrPastCommand } from './analysis/testOnPastCommand.ts'
import { versionCommands } from './analysis/versionCommands.ts'
import { retentionCommands, subjectCommands } from './audit/erasureCommands.ts'
import { diffCommand, historyCommand, stateCommand } from './audit/historyCommands.ts'
import { addCommands, addHelpCommands, type CliRun } from './connecting/addCommand.ts'
import type { Commands } from './connecting/commandDefinition.ts'
import { profileCommands } from './connecting/profileCommands.ts'
import { evalCommand, predictionFlowCommand, showCommand } from './evaluation/evaluationCommands.ts'
import { importCommands } from './evaluation/evaluationFiles.ts'
import { evaluationListCommands, tailCommand } from './evaluation/evaluationListCommands.ts'
import { testFlowCommand } from './evaluation/ruleAndFlowTestCommands.ts'
import { eventCommands, feedbackCommands, labelCommands } from './feedback/reportCommands.ts'
import { listCommands, phoneListCommands } from './lists/listCommands.ts'
import {
  backupCommand,
  migrateCommand,
  operatorTokenCommands,
  restoreCommand,
} from './operations/dataFolderCommands.ts'
import { mongoCommands, projectionCommands } from './operations/projectionCommands.ts'
import { replayCommand } from './operations/replayCommand.ts'
import { pullCommand, pushCommand } from './rulebook/folderCommands.ts'
import { managedCommands, resourceCommands } from './rulebook/resourceCommands.ts'
import { appCommands } from './sessions/appCommands.ts'
import { sessionCommands, userCommands } from './sessions/userAndSessionCommands.ts'
import { dispatchCommands, signalsCommand } from './signals/signalCommands.ts'
import { type ExitCode, exitCodes, usageError } from './terminal/cliError.ts'
import { asCliError, formatError } from './terminal/errorText.ts'
import { openPaint, openScreen } from './terminal/screen.ts'
import type { CliContext } from './terminal/terminal.ts'
import { senderIdCommands, templateCommands } from './verification/verificationCommands.ts'

/** Runs the command and prints errors on stderr. `words` are the arguments after the program's name. Never rejects. */
export async function runCli(words: readonly string[], context: CliContext): Promise<ExitCode> {
  const run: CliRun = { context, words, exitCode: exitCodes.done }
  const json = words.includes('--json')
  try {
    await buildProgram(run).parseAsync([...words], { from: 'user' })
    return run.exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageCode(thrown, json, context)
    const paint = openPaint(context.stderr.isTty && context.environment.colour)
    context.stderr.write(formatError(thrown, json, paint))
    return asCliError(thrown).exitCode
  }
}

/** Commander has already printed the error, but not as JSON. Requested help and version are not errors. */
function usageCode(error: CommanderError, json: boolean, { stderr }: CliContext): ExitCode {
  if (error.exitCode === 0) return exitCodes.done
  if (json && error.code !== 'commander.help') {
    stderr.write(
      formatError(usageError(error.message.replace(/^error: /, '')), true, openPaint(false)),
    )
  }
  return exitCodes.usage
}

/** Of the package this file belongs to; as deep below it in `src` as in `dist`. */
const packageFile = new URL('../../package.json', import.meta.url)

/** Commands by audience, in the order of the help text. */
export const commandGroups: Readonly<Record<string, Commands>> = {
  'For callers (ask for verdicts; keep users and their sessions):': {
    eval: evalCommand,
    apps: appCommands,
    users: userCommands,
    sessions: sessionCommands,
    templates: templateCommands,
    'sender-ids': senderIdCommands,
    'phone-lists': phoneListCommands,
  },
  'For authors (write, try and publish rules):': {
    rules: resourceCommands('rules', {
      'test [expression]': testRuleOrPastCommand,
      usage: ruleUsageCommand,
      report: rulesReportCommand,
    }),
    recipes: resourceCommands('recipes', { compare: recipeComparisonCommand }),
    flows: resourceCommands('flows', {
      test: testFlowCommand,
      'predict [flow]': predictionFlowCommand,
    }),
    signals: signalsCommand,
    lists: listCommands,
    backtest: backtestCommand,
    backtests: backtestCommands,
    'pull <folder>': pullCommand,
    'push <folder>': pushCommand,
    'diff [folder]': diffCommand,
    import: importCommands,
  },
  'For analysts and auditors (what was decided, why, and for how long it is known):': {
    show: showCommand,
    replay: replayCommand,
    evaluations: evaluationListCommands,
    tail: tailCommand,
    stats: statsCommand,
    top: topCommand,
    missing: missingCommand,
    searches: searchCommands,
    review: reviewCommands,
    versions: versionCommands,
    history: historyCommand,
    state: stateCommand,
    feedback: feedbackCommands,
    events: eventCommands,
    labels: labelCommands,
    subjects: subjectCommands,
    retention: retentionCommands,
  },
  'For operators (accounts and tokens; the data of the service):': {
    accounts: accountCommands,
    'access <account>': accessCommand,
    tokens: tokenCommands,
    'sdk-keys': sdkKeyCommands,
    dispatches: dispatchCommands,
    managed: managedCommands,
    projections: projectionCommands,
    mongo: mongoCommands,
    backup: backupCommand,
    restore: restoreCommand,
    migrate: migrateCommand,
    'operator-token': operatorTokenCommands,
  },
  'For everyone:': { profile: profileCommands },
}

const footer = `
The server and the token are taken from the flag, else from the environment (VIGIL_URL; VIGIL_TOKEN,
or for the operator's commands VIGIL_OPERATOR_TOKEN), else from the profile (--profile,
VIGIL_PROFILE, "default").

Exit codes:
  0    done
  1    the service refused; with diff, push --dry-run and replay --all: something differs
  2    the command, the profile or the folder is not in order
  3    the service cannot be reached, or failed
  4    differences were found (replay of one evaluation, recipes compare --exit-code)
  10   FLAG (eval --exit-code, flows test --exit-code)
  70   a mistake of the command line itself
  74   standard output or a file could not be written
  130  interrupted

Example:
  $ vigil eval Signup --email ada90210@mailinator.com && vigil show`

/** Builds the program; output goes to the run's context. Throws `CommanderError` instead of ending the process. */
export function buildProgram(run: CliRun): Command {
  const { stdout, stderr, environment } = run.context
  const json = { isSet: false }
  const program = new Command('vigil')
    .description('The command line of Vigil: a client of its HTTP API.')
    // without this, `vigil rules restore RULE --version ver_…` would print a version and end with 0
    .on('option:version', () => refuseVersionOfCommand(program, run.words))
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--server <url>', 'address of the service')
    .option('--token <token>', 'API token; - reads it from standard input')
    .option('--profile <name>', 'profile to take server and token from')
    .option('--json', 'print JSON, errors too')
    .on('option:json', () => {
      json.isSet = true
    })
    .addHelpText('after', footer)
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(100, openScreen(stdout, environment, false).width),
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => {
        // with --json the error is printed once, as JSON
        if (!json.isSet) write(usageText(text))
      },
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(heading)
    addCommands(program, commands, run)
  }
  addHelpCommands(program)
  return program
}

/** Ends with a usage error unless `--version` stands before any command. */
function refuseVersionOfCommand(program: Command, words: readonly string[]): void {
  const names = new Set(program.commands.map((command) => command.name()))
  const at = words.findIndex((word) => word === '--version' || word === '-V')
  const command = words.slice(0, at).find((word) => names.has(word))
  if (command === undefined) return
  const message = `error: --version is an option of vigil alone, not of vigil ${command}\n`
  program.error(message, { code: 'commander.unknownOption' })
}

/** The usage error of commander with a hint. An id that begins with a dash looks like an option. */
function usageText(text: string): string {
  const isOption = text.startsWith('error: unknown option')
  const dashes = isOption ? '; a value that begins with - goes after --' : ''
  return `${text.replace(/^error: /, 'vigil: ')}(--help says what it takes${dashes})\n`
}

/** The version of this program, as in `1.2.3`. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string }
  return version
}
