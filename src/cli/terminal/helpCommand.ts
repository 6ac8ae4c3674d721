/** `help`, below the program and below every command that has commands of its own. */

import type { Command } from 'commander'
import { nearest } from '../../domain/nearest.ts'
import { describe } from './describe.ts'

/** Adds `help` to the program and to every group of commands, where it is not listed. To be called once all commands are there. */
export function addHelpCommands(program: Command): void {
  for (const group of groupsOf(program)) {
    const isProgram = group === program
    const words = isProgram ? 'vigil' : pathOf(group)
    group.helpCommand(false)
    describe(group, {
      usage: 'help [command...]',
      summary: 'Show the help of a command.',
      example: isProgram ? 'vigil help rules create' : `${words} help list`,
      hidden: !isProgram,
    }).action((named: readonly string[]) => commandOf(group, named).help())
  }
}

/** Ends with what commander says of a word that is none of the command's own: the nearest that is. */
export function refuseWord(command: Command, word: string): never {
  const names = command.commands.map((child) => child.name())
  const meant = nearest(word, names)
  const guess = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
  return command.error(`error: unknown command '${word}'${guess}`, {
    code: 'commander.unknownCommand',
  })
}

function groupsOf(command: Command): readonly Command[] {
  if (command.commands.length === 0) return []
  return [command, ...command.commands.flatMap(groupsOf)]
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

function commandOf(group: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((child) => child.name() === word) ?? refuseWord(command, word),
    group,
  )
}
