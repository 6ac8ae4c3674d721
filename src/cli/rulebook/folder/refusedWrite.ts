/** Why a write of a push did not come about, and what has become of the rest. */

import { type CliError, cliError, isCliError } from '../../terminal/cliError.ts'
import { exitCodes } from '../../terminal/exitCode.ts'
import { type ChangeRequest, complaintsOf } from './changeRequest.ts'
import { type Complaint, located } from './locate.ts'

/** The error to end with; `isLater` says whether a write before this one was done. Anything but a `CliError` comes back as it is. */
export function refusedWrite(thrown: unknown, request: ChangeRequest, isLater: boolean): unknown {
  if (!isCliError(thrown)) return thrown
  const complaints = complaintsOf(thrown.facts['details'], request)
  const details = complaints?.map(({ step, field, detail }) =>
    located(step, field, detail as Complaint),
  )
  const hint = hintOf(thrown, isLater)
  return cliError(thrown.message, thrown.exitCode, {
    ...thrown.facts,
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
  })
}

function hintOf({ exitCode, facts: { code, hint } }: CliError, isLater: boolean): string {
  const rest = isLater
    ? 'What is listed above as done stays; push again to go on with the rest.'
    : 'Nothing was written; push again to go on.'
  if (exitCode === exitCodes.unreachable || exitCode === exitCodes.interrupted) {
    return `${typeof hint === 'string' ? `${hint} ` : ''}Whether this write was done is not known: push again, and what was made is found and its id written into its file.`
  }
  return code === 'precondition_failed' ? `${rest} What has changed: vigil diff` : rest
}
