/** `vigil pull`, `vigil diff` and `vigil push`: lists, rules, recipes and flows as a folder of files. */

import type { Command } from 'commander'
import { type Run, serve } from '../connecting/invocation.ts'
import { describe } from '../terminal/describe.ts'
import { exitCodes } from '../terminal/exitCode.ts'
import { diff } from './diffCommand.ts'
import { type PullOptions, pull } from './pullCommand.ts'
import { type PushOptions, push } from './pushCommand.ts'

/** Adds `pull`, `diff` and `push`. */
export function addFolderCommands(program: Command, run: Run): void {
  describe(program, {
    usage: 'pull <folder>',
    summary: 'Write all lists, rules, recipes and flows into a folder of YAML files.',
    example: 'vigil pull rulebook',
  })
    .option('--prune', 'remove the files of what the service does not have any more')
    .action(serve<PullOptions>(run, pull))
  describe(program, {
    usage: 'diff <folder>',
    summary: `Show what differs, and whether it could be pushed; ends with ${exitCodes.differs} when something differs.`,
    example: 'vigil diff rulebook',
  }).action(serve(run, diff))
  describe(program, {
    usage: 'push <folder>',
    summary: 'Check the whole folder, then create and update what differs, all of it or nothing.',
    example: 'vigil push rulebook --dry-run',
  })
    .option('--prune', 'also delete what the folder does not have')
    .option(
      '--dry-run',
      `write nothing; end with ${exitCodes.differs} when there is something to write`,
    )
    .action(serve<PushOptions>(run, push))
}
