/** Adds `vigil apps`, `vigil users` and `vigil sessions`. */

import type { Command } from 'commander'
import type { Run } from '../connecting/invocation.ts'
import { addAppCommands } from './appCommands.ts'
import { addSessionCommands } from './sessionCommands.ts'
import { addUserCommands } from './userCommands.ts'

/** Adds all of them. */
export function addEndUserCommands(program: Command, run: Run): void {
  addAppCommands(program, run)
  addUserCommands(program, run)
  addSessionCommands(program, run)
}
