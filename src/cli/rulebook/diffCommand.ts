/** Runs `vigil diff`: shows how a folder and the service differ. */

import type { Invocation } from '../connecting/invocation.ts'
import { cliError, type ExitCode, exitCodes, isCliError } from '../terminal/cliError.ts'
import { changeFacts, changeLines } from './changesView.ts'
import { compareFolder, isWritten } from './compareFolder.ts'
import { validateChanges } from './folder/changeRequest.ts'
import { placed, refuseProblems } from './folder/problem.ts'

/** Shows every difference, and fails on problems that prevent a push. */
export function diff(invocation: Invocation, _: object, dir = ''): Promise<ExitCode> {
  return asQuestion(async () => {
    const compared = await compareFolder(invocation, dir)
    const { changes, texts } = compared
    invocation.print({ differences: changes.map(changeFacts) }, () =>
      changeLines(changes, invocation.paint),
    )
    const { problems, warnings } = await validateChanges(compared, changes.filter(isWritten))
    refuseProblems(problems, { texts })
    invocation.warn(warnings.map(placed))
    return changes.length === 0 ? exitCodes.done : exitCodes.differs
  })
}

/** Exit code 1 means that something differs, so refusals of the service end with `usage` (2) instead. */
export async function asQuestion(ask: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await ask()
  } catch (thrown) {
    if (!isCliError(thrown) || thrown.exitCode !== exitCodes.refused) throw thrown
    throw cliError(thrown.message, exitCodes.usage, thrown.facts)
  }
}
