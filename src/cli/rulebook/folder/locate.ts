/** Where in the files of a folder stands what the service has complained of. */

import { isScalar } from 'yaml'
import type { Change } from './changes.ts'
import { offsetOf } from './parseResource.ts'
import type { FolderProblem } from './problem.ts'
import type { ResourceFile } from './resourceFile.ts'
import { scalarOffset } from './scalarOffset.ts'

/** A detail of a refusal: a mistake in a rule has a place in the rule's text. */
export interface Complaint {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

/** What the message of a rule that does not compile begins with: the place, which is said in its own way. */
const placeInRule = /^.*?ERROR: <input>:\d+:\d+: /

/** The complaint at the place in the file of the change; `field` is its path within what was to be saved, empty for none. */
export function located(change: Change, field: string, complaint: Complaint): FolderProblem {
  const { file, name } = change
  const { message, length } = complaint
  if (!file || field === '') return { path: name, message }
  const spot = spotOf(complaint)
  const offset = spot ? offsetInRule(file, field, spot) : offsetOf(file.document, pathOf(field))
  return {
    path: name,
    ...placeOf(file.text, offset),
    ...(spot && length !== undefined && { length }),
    message: spot ? message.replace(placeInRule, '') : message,
  }
}

interface Spot {
  readonly line: number
  readonly column: number
}

function spotOf({ line, column }: Complaint): Spot | undefined {
  return line === undefined || column === undefined ? undefined : { line, column }
}

function offsetInRule(file: ResourceFile, field: string, spot: Spot): number {
  const node: unknown = file.document.getIn(pathOf(field), true)
  if (!isScalar(node)) return offsetOf(file.document, pathOf(field))
  return scalarOffset(file.text, node, offsetIn(String(node.value), spot))
}

/** Of a line and a column, which counts characters, from 1. */
function offsetIn(text: string, { line, column }: Spot): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const characters = [...(lines[line - 1] ?? '')]
  return before + characters.slice(0, column - 1).join('').length
}

/** The line and the column, in characters, both from 1. */
function placeOf(text: string, offset: number): Spot {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** A path of the API as one of a file, which names rules where the API has their ids. */
function pathOf(field: string): readonly (string | number)[] {
  return field
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part === 'rule_id' ? 'rule' : part))
}
