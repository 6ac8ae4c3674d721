/** Adds declared commands, their help, and hints for mistyped words to the commander program. */

import { Argument, type Command, Option } from 'commander'
import { nearestName } from '../../domain/text/nearestName.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import type { CliContext } from '../terminal/terminal.ts'
import {
  type CommandDefinition,
  type Commands,
  type OptionDefinition,
  runCommand,
} from './commandDefinition.ts'

/** The context and the exit code of one run of the program. */
export interface CliRun {
  readonly context: CliContext
  /** The arguments after the program's name. */
  readonly words: readonly string[]
  exitCode: ExitCode
}

/** Adds the commands and those below them to their parent, whose configuration they inherit. */
export function addCommands(parent: Command, commands: Commands, run: CliRun): void {
  for (const [usage, definition] of Object.entries(commands)) {
    const command = parent.command(usage)
    addDescription(
      command,
      definition.summary,
      findExample(definition, `${formatCommandPath(parent)} ${usage}`),
    )
    addParameters(command, definition)
    const { caller, commands: below = {} } = definition
    const inherited = Object.entries(below).map(([words, one]) => [words, { caller, ...one }])
    addCommands(command, Object.fromEntries(inherited) as Commands, run)
    if (definition.run || definition.request !== undefined) addAction(command, definition, run)
  }
}

function addDescription(command: Command, summary: string, example: string): Command {
  return command
    .description(summary)
    .addHelpText('after', `\nExample:\n  $ ${example.replaceAll('\n', '\n  $ ')}`)
}

/** What the arguments of these names are in examples. */
const samples: Readonly<Record<string, string>> = {
  a: 'evl_01jc0t6fwwfgfsq1md24mhyztj',
  account: 'acc_01jc0t6fwwfgfsq1md24mhyztj',
  app: 'shop001',
  b: 'last',
  backtest: 'bkt_01jc0t6fwwfgfsq1md24mhyztj',
  erasure: 'era_01kakq8v6mfgxbnsb9ksm0zn3q',
  file: 'staff.csv',
  flow: 'flo_01jc0t6fwwfgfsq1md24mhyztj',
  folder: 'rulebook',
  'key-id': 'sdk_01jc0t6fwwfgfsq1md24mhyztj',
  kid: 'b1ZlcnkgbXVjaCBhIGRpZw',
  list: 'vip',
  number: '+33612345678',
  origins: 'https://shop.example',
  'phone-list': 'block',
  other: 'rcp_01jc0t6fwxe5a8fq2m0v7sj4nd',
  recipe: 'rcp_01jc0t6fwwfgfsq1md24mhyztj',
  rule: 'rul_01jc0t6fwwfgfsq1md24mhyztj',
  scope: 'prld:pwd:write',
  'sender-id': '"Ada Shop"',
  template: 'template_01jc0t6fwwfgfsq1md24mhyztj',
  'token-id': 'tok_01jc0t6fwwfgfsq1md24mhyztj',
  type: 'email_address',
  url: 'https://api.example.com/session/validate',
  user: 'usr_01kakq8v6mfgxbnsb9ksm0zn3q',
  value: 'ann@example.com',
  version: 'ver_01jc0t6fwwfgfsq1md24mhyztj',
}

/**
 * The example of a command: its own, else that of the first command below it, else its words with sample arguments. One
 * of options only comes after those words.
 */
function findExample(definition: CommandDefinition, words: string): string {
  const { example, commands = {}, arguments: args = {} } = definition
  const [first] = Object.entries(commands)
  if (example !== undefined && !example.startsWith('--')) return example
  if (first) return findExample(first[1], `${words} ${first[0]}`)
  const usage = [words, ...Object.keys(args)].join(' ')
  const filled = usage.replaceAll(
    /[<[]([\w-]+)[^ ]*/g,
    (argument, name: string) => samples[name] ?? argument,
  )
  return example === undefined ? filled : `${filled} ${example}`
}

/** The words of a command, from the program on. */
function formatCommandPath(command: Command): string {
  return command.parent ? `${formatCommandPath(command.parent)} ${command.name()}` : command.name()
}

function addParameters(command: Command, definition: CommandDefinition): void {
  for (const [name, given] of Object.entries(definition.arguments ?? {})) {
    const { description, parse } = normalizeOption(given)
    command.addArgument(new Argument(name, description).argParser(parse as never))
  }
  for (const [flags, given] of Object.entries(definition.options ?? {})) {
    const {
      description,
      required = false,
      choices,
      parse,
      default: unless,
    } = normalizeOption(given)
    const option = new Option(flags, description).makeOptionMandatory(required).default(unless)
    if (choices) option.choices(choices)
    if (parse) option.argParser(parse as never)
    command.addOption(option)
  }
}

function normalizeOption(given: string | OptionDefinition): OptionDefinition {
  return typeof given === 'string' ? { description: given } : given
}

function addAction(command: Command, definition: CommandDefinition, run: CliRun): void {
  if (definition.commands) command.allowExcessArguments()
  command.action(async () => {
    const [word] = command.args
    if (definition.commands && word !== undefined) refuseWord(command, word)
    run.exitCode = (await runCommand(run.context, definition, command)) ?? exitCodes.done
  })
}

/** Adds `help` to the program, and unlisted to every command group. Call it after all commands were added. */
export function addHelpCommands(program: Command): void {
  for (const group of listGroups(program)) {
    const isProgram = group === program
    const help = group.helpCommand(false).command('help [command...]', { hidden: !isProgram })
    const example = isProgram ? 'vigil help rules create' : `${formatCommandPath(group)} help list`
    addDescription(help, 'Show the help of a command.', example)
    help.action((named: readonly string[]) => findCommand(group, named).help())
  }
}

function listGroups(command: Command): readonly Command[] {
  if (command.commands.length === 0) return []
  return [command, ...command.commands.flatMap(listGroups)]
}

function findCommand(group: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((child) => child.name() === word) ?? refuseWord(command, word),
    group,
  )
}

/** Ends with commander's unknown-command error and the most similar command. */
function refuseWord(command: Command, word: string): never {
  const names = command.commands.map((child) => child.name())
  const meant = nearestName(word, names)
  const guess = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
  const code = 'commander.unknownCommand'
  return command.error(`error: unknown command '${word}'${guess}`, { code })
}
