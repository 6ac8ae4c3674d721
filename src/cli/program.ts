/** Builds the `vigil` program: all commands, global flags and help. */

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { addAccessCommand, addAccountCommands } from './accounts/accountCommands.ts'
import { addSdkKeyCommands } from './accounts/sdkKeyCommands.ts'
import { addTokenCommands } from './accounts/tokenCommands.ts'
import { addComparisonCommand } from './analysis/comparisonCommand.ts'
import { addUsageCommand } from './analysis/usageCommand.ts'
import { addHistoryCommand } from './audit/historyCommand.ts'
import { addRetentionCommands } from './audit/retentionCommands.ts'
import { addSubjectCommands } from './audit/subjectCommands.ts'
import type { Run } from './connecting/invocation.ts'
import { addProfileCommands } from './connecting/profileCommands.ts'
import { addEvalCommand, addShowCommand } from './evaluation/evaluationCommands.ts'
import { addListCommand } from './evaluation/listCommand.ts'
import { addPredictionCommand } from './evaluation/predictionCommand.ts'
import { addTailCommand } from './evaluation/tailCommand.ts'
import { addTestFlowCommand, addTestRuleCommand } from './evaluation/tryOutCommands.ts'
import { addReportCommands } from './feedback/reportCommands.ts'
import { addListCommands } from './lists/listCommands.ts'
import { addBackupCommand } from './operations/backupCommand.ts'
import { addMigrateCommand } from './operations/migrateCommand.ts'
import { addMongoCommands } from './operations/mongoCommands.ts'
import { addProjectionCommands } from './operations/projectionCommands.ts'
import { addReplayCommand } from './operations/replayCommand.ts'
import { addRestoreCommand } from './operations/restoreCommand.ts'
import { addFolderCommands } from './rulebook/folderCommands.ts'
import {
  type AddCommands,
  addManagedCommands,
  addResourceCommands,
} from './rulebook/resourceCommands.ts'
import { addSignalsCommand } from './rulebook/signalCommands.ts'
import { addAppCommands } from './sessions/appCommands.ts'
import { addSessionCommands } from './sessions/sessionCommands.ts'
import { addUserCommands } from './sessions/userCommands.ts'
import { addDispatchCommands } from './signals/dispatchCommands.ts'
import { addHelpCommands } from './terminal/describe.ts'
import { openScreen } from './terminal/screen.ts'
import { addSenderIdCommands } from './verification/senderIdCommands.ts'
import { addTemplateCommands } from './verification/templateCommands.ts'

/** Of the package this file belongs to; as deep below it in `src` as in `dist`. */
const packageFile = new URL('../../package.json', import.meta.url)

/** Commands by audience, in the order of the help text. */
const groups: readonly (readonly [heading: string, commands: readonly AddCommands[]])[] = [
  [
    'For callers (ask for verdicts; keep users and their sessions):',
    [
      addEvalCommand,
      addAppCommands,
      addUserCommands,
      addSessionCommands,
      addTemplateCommands,
      addSenderIdCommands,
    ],
  ],
  [
    'For authors (write, try and publish rules):',
    [addRulebookCommands, addSignalsCommand, addListCommands, addFolderCommands],
  ],
  [
    'For analysts and auditors (what was decided, why, and for how long it is known):',
    [
      addShowCommand,
      addReplayCommand,
      addListCommand,
      addTailCommand,
      addHistoryCommand,
      addReportCommands,
      addSubjectCommands,
      addRetentionCommands,
    ],
  ],
  [
    'For operators (accounts and tokens; the data of the service):',
    [
      addAccountCommands,
      addAccessCommand,
      addTokenCommands,
      addSdkKeyCommands,
      addDispatchCommands,
      addManagedCommands,
      addProjectionCommands,
      addMongoCommands,
      addBackupCommand,
      addRestoreCommand,
      addMigrateCommand,
    ],
  ],
  ['For everyone:', [addProfileCommands]],
]

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
  130  interrupted

Example:
  $ vigil eval Signup --email ada90210@mailinator.com && vigil show`

/** Builds the program; output goes to the run's context. Throws `CommanderError` instead of ending the process. */
export function buildProgram(run: Run): Command {
  const { stdout, stderr, environment } = run.context
  const json = { asked: false }
  const program = new Command('vigil')
    .description('The command line of Vigil: a client of its HTTP API.')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--server <url>', 'address of the service')
    .option('--token <token>', 'API token; - reads it from standard input')
    .option('--profile <name>', 'profile to take server and token from')
    .option('--json', 'print JSON, errors too')
    .on('option:json', () => {
      json.asked = true
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
        if (!json.asked) write(usageText(text))
      },
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading)
    for (const add of commands) add(program, run)
  }
  addHelpCommands(program)
  return program
}

function addRulebookCommands(program: Command, run: Run): void {
  addResourceCommands(program, run, {
    rules: [addTestRuleCommand, addUsageCommand],
    recipes: [addComparisonCommand],
    flows: [addTestFlowCommand, addPredictionCommand],
  })
}

/** What commander says of a mistake, with what to do next. An id that begins with a dash is no option, but only its owner can know. */
function usageText(text: string): string {
  const isOption = text.startsWith('error: unknown option')
  const dashes = isOption ? '; a value that begins with - goes behind --' : ''
  return `${text.replace(/^error: /, 'vigil: ')}(--help says what it takes${dashes})\n`
}

/** The version of this program, as in `1.2.3`. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string }
  return version
}
