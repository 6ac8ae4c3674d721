/** Formats the differences between a folder and the service as unified diff or JSON. */

import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff'
import { escapeControls, type Paint } from '../terminal/screen.ts'
import type { Action, FolderChange } from './folder/changes.ts'
import { type FolderProblem, problemLine } from './folder/folderProblem.ts'
import { renderResource } from './folder/resourceFile.ts'

/** Changed lines beyond which two texts count as wholly different: comparing takes the square of them. */
const changesMax = 2_000
const contextLines = 3

const verbs: Readonly<Record<Action, string>> = {
  create: 'to create',
  update: 'to update',
  delete: 'only on the service',
  gone: 'gone from the service',
  adopt: 'already on the service, its id to be written into the file',
}

/** A unified diff of each change, from the service to the folder, and a count. */
export function changeLines(changes: readonly FolderChange[], paint: Paint): readonly string[] {
  if (changes.length === 0) return ['Nothing differs.']
  return [...changes.flatMap((change) => [...formatChange(change, paint), '']), countLine(changes)]
}

/** The change as `--json` prints it. */
export function changeFacts({ action, kind, name, id, service, folder }: FolderChange): object {
  return { action, kind, file: name, id, service, folder }
}

/** The problem of a file whose resource no longer exists. */
export function missingResourceProblem({ name, id }: FolderChange): FolderProblem {
  return {
    path: name,
    message: `the service has nothing with the id ${id}; remove the id to create it again, or the file.`,
  }
}

function formatChange(change: FolderChange, paint: Paint): readonly string[] {
  const { action, name, id, service, folder } = change
  const title = paint('bold', `${name}  ${verbs[action]}${id === undefined ? '' : `  ${id}`}`)
  if (action === 'gone') return [title, problemLine(missingResourceProblem(change))]
  if (action === 'adopt') return [title]
  const text = (fields: FolderChange['folder']): string => (fields ? renderResource(fields) : '')
  return [
    title,
    `--- ${service ? `service/${name}` : '/dev/null'}`,
    `+++ ${folder ? `folder/${name}` : '/dev/null'}`,
    ...unifiedDiff(text(service), text(folder)).map((line) => diffLine(line, paint)),
  ]
}

function diffLine(line: string, paint: Paint): string {
  const shown = escapeControls(line)
  if (line.startsWith('+')) return paint('green', shown)
  if (line.startsWith('-')) return paint('red', shown)
  return line.startsWith('@@') ? paint('cyan', shown) : shown
}

function countLine(changes: readonly FolderChange[]): string {
  const actions = Object.keys(verbs) as readonly Action[]
  return `${actions
    .map((action) => ({ action, count: changes.filter((one) => one.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} ${verbs[action]}`)
    .join(', ')}.`
}

/** Diff lines that start with `@@`, space, `-` or `+`; none for equal texts. Both texts end with a line break, or are empty. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const options = { context: contextLines, maxEditLength: changesMax }
  const found = structuredPatch('', '', before, after, undefined, undefined, options)
  const hunks = found?.hunks ?? [buildWholeHunk(before, after)]
  const patch = { hunks, oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' }
  return hunks.length === 0 ? [] : formatPatch(patch, OMIT_HEADERS).split('\n').slice(0, -1)
}

/** Replaces a text as a whole. */
function buildWholeHunk(before: string, after: string): StructuredPatchHunk {
  const [removed, added] = [prefixLines('-', before), prefixLines('+', after)]
  const [oldLines, newLines] = [removed.length, added.length]
  return { oldStart: 1, newStart: 1, oldLines, newLines, lines: [...removed, ...added] }
}

function prefixLines(sign: string, text: string): readonly string[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => sign + line)
}
