/** Asks the service whether what a push would do can be done; nothing is written. */

import type { Client } from '../../connecting/client.ts'
import { isCliError } from '../../terminal/cliError.ts'
import {
  changeRequest,
  changesPath,
  complaintsOf,
  isTooLarge,
  isTooLargeFor,
} from './changeRequest.ts'
import type { Change } from './changes.ts'
import { type Complaint, located } from './locate.ts'
import type { FolderProblem } from './problem.ts'
import type { Translate } from './references.ts'

interface Checking {
  readonly client: Client
  readonly idOfSlug: Translate
}

/** What was found of the steps, where it stands in the files. */
export interface Checked {
  /** What is in the way of them. */
  readonly problems: readonly FolderProblem[]
  /** What is probably not what was meant; known only where nothing is in the way. */
  readonly warnings: readonly FolderProblem[]
}

const nothing: Checked = { problems: [], warnings: [] }

/**
 * Everything that is in the way of any of the steps, or that their author is warned of. Of more steps than the service looks at in one request only the
 * rules are checked, and the lists that they may ask: what refers to rules is, when it is written. Throws what else the service refuses, or fails with.
 */
export async function checkSteps(checking: Checking, steps: readonly Change[]): Promise<Checked> {
  if (steps.length === 0) return nothing
  const request = changeRequest(steps, checking)
  if (isTooLarge(request)) return checkRules(checking, steps)
  try {
    const asked = { dry_run: true, ...request.body }
    const { body } = await checking.client('POST', changesPath, { body: asked })
    return { problems: [], warnings: locatedIn(complaintsOf(body['warnings'], request)) }
  } catch (thrown) {
    if (isTooLargeFor(thrown)) return checkRules(checking, steps)
    const complaints = isCliError(thrown)
      ? complaintsOf(thrown.facts['details'], request)
      : undefined
    if (!complaints) throw thrown
    return { problems: locatedIn(complaints), warnings: [] }
  }
}

function locatedIn(complaints: ReturnType<typeof complaintsOf> = []): readonly FolderProblem[] {
  return complaints.map(({ step, field, detail }) => located(step, field, detail as Complaint))
}

/** The rules alone, which refer to nothing but lists, in two halves; the lists go along with both. */
async function checkRules(checking: Checking, steps: readonly Change[]): Promise<Checked> {
  const rules = steps.filter(({ kind, action }) => kind === 'rules' && action !== 'delete')
  if (rules.length < 2) return nothing
  const lists = steps.filter(({ kind, action }) => kind === 'lists' && action !== 'delete')
  const half = Math.ceil(rules.length / 2)
  const first = await checkSteps(checking, [...lists, ...rules.slice(0, half)])
  const second = await checkSteps(checking, [...lists, ...rules.slice(half)])
  const saidOfLists = new Set(lists.map(({ name }) => name))
  return {
    problems: [...first.problems, ...second.problems.filter(({ path }) => !saidOfLists.has(path))],
    warnings: [...first.warnings, ...second.warnings],
  }
}
