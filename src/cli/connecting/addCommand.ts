/** Adds declared commands and their help to the commander program. */

import { Argument, type Command, Option } from 'commander'
import { nearestName } from '../../domain/text/nearestName.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import type { CliContext } from '../terminal/terminal.ts'
import type {
  ArgumentDefinition,
  CommandDefinition,
  OptionDefinition,
} from './commandDefinition.ts'
import { openInvocation } from './invocation.ts'
import { runCommandDefinition } from './runCommand.ts'

/** The context and the exit code of one run of the program. */
export interface CliRun {
  readonly context: CliContext
  exitCode: ExitCode
}

/** Adds the command and those below it to their parent. */
export function addCommand(parent: Command, row: CommandDefinition, run: CliRun): void {
  const { usage, summary } = row
  const command = describe(parent, { usage, summary, example: exampleOf(row, wordsOf(parent)) })
  for (const [name, given] of Object.entries(row.arguments ?? {})) {
    command.addArgument(argumentOf(name, given))
  }
  for (const [flags, given] of Object.entries(row.options ?? {})) {
    command.addOption(optionOf(flags, given))
  }
  for (const below of row.commands ?? []) {
    addCommand(command, { ...(row.caller && { caller: row.caller }), ...below }, run)
  }
  if (row.run === undefined && row.request === undefined) return
  if (row.commands) command.allowExcessArguments()
  command.action(async () => {
    const [word] = command.args
    if (row.commands && word !== undefined) refuseWord(command, word)
    const invocation = openInvocation(run.context, command.optsWithGlobals())
    run.exitCode = (await runCommandDefinition(invocation, row, command)) ?? exitCodes.done
  })
}

interface Description {
  readonly usage: string
  readonly summary: string
  readonly example: string
  /** Whether lists of commands leave it out. */
  readonly hidden?: boolean
}

/** Adds a command, which inherits the configuration of its parent. */
function describe(
  parent: Command,
  { usage, summary, example, hidden = false }: Description,
): Command {
  return parent
    .command(usage, { hidden })
    .description(summary)
    .addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}`)
}

function exampleOf(
  { usage, example, commands: [first] = [] }: CommandDefinition,
  words: string,
): string {
  if (example !== undefined) return example
  const own = `${words} ${usage}`
  return first ? exampleOf(first, own) : own
}

/** The words of a command, from the program on. */
function wordsOf(command: Command): string {
  return command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name()
}

function argumentOf(name: string, given: string | ArgumentDefinition): Argument {
  const { description, parse }: ArgumentDefinition =
    typeof given === 'string' ? { description: given } : given
  const argument = new Argument(name, description)
  return parse ? argument.argParser(parse as never) : argument
}

function optionOf(flags: string, given: string | OptionDefinition): Option {
  const row: OptionDefinition = typeof given === 'string' ? { description: given } : given
  const option = new Option(flags, row.description).makeOptionMandatory(row.required ?? false)
  if (row.choices) option.choices(row.choices)
  if (row.parse) option.argParser(row.parse as never)
  return row.default === undefined ? option : option.default(row.default)
}

/** Adds `help` to the program, and unlisted to every command group. Call it after all commands were added. */
export function addHelpCommands(program: Command): void {
  for (const group of groupsOf(program)) {
    const isProgram = group === program
    group.helpCommand(false)
    describe(group, {
      usage: 'help [command...]',
      summary: 'Show the help of a command.',
      example: isProgram ? 'vigil help rules create' : `${wordsOf(group)} help list`,
      hidden: !isProgram,
    }).action((named: readonly string[]) => commandOf(group, named).help())
  }
}

function groupsOf(command: Command): readonly Command[] {
  if (command.commands.length === 0) return []
  return [command, ...command.commands.flatMap(groupsOf)]
}

function commandOf(group: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((child) => child.name() === word) ?? refuseWord(command, word),
    group,
  )
}

/** Ends with commander's unknown-command error and the most similar command. */
function refuseWord(command: Command, word: string): never {
  const meant = nearestName(
    word,
    command.commands.map((child) => child.name()),
  )
  const guess = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
  return command.error(`error: unknown command '${word}'${guess}`, {
    code: 'commander.unknownCommand',
  })
}
