/** `vigil apps`, `vigil users`, `vigil sessions`: end users and what they sign in to. */

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
