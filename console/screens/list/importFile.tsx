/** Shows what is in a file of entries, and imports it part by part. */

import { useState } from 'preact/hooks'
import { send } from '../../api/client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/useWork.ts'
import { count } from '../../parts/values.tsx'
import { cutParts, type EntryFile, findProblem, readEntryFile } from './fileParts.ts'
import { columnOf, forgetEntries, importAddressOf, type Source } from './source.ts'

interface Refused {
  readonly line: number
  readonly why: string
}

interface Sums {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: readonly Refused[]
  /** Parts that are stored. */
  readonly parts: number
}

const none: Sums = { added: 0, changed: 0, unchanged: 0, refused: [], parts: 0 }

interface Line {
  readonly line?: number
  readonly result: 'added' | 'changed' | 'unchanged' | 'refused' | 'done' | 'failed'
  readonly message?: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

interface ImportProps {
  readonly source: Source
  readonly onClose: () => void
}

export function ImportFile({ source, onClose }: ImportProps) {
  const [file, show] = useState<EntryFile>()
  const [sums, tellSums] = useState<Sums>()
  const { failure, isBusy, run } = useWork()
  const problem = file && findProblem(file, columnOf(source))
  const choose = async (chosen: File | undefined) => {
    tellSums(undefined)
    show(chosen && readEntryFile(await chosen.text()))
  }
  const importIt = async () => {
    if (!file) return
    try {
      await importParts(source, file, { from: sums ?? none, tell: tellSums })
    } finally {
      await forgetEntries()
    }
  }
  const isDone = file !== undefined && sums?.parts === cutParts(file).length
  return (
    <Dialog title="Import entries" onClose={isBusy ? () => undefined : onClose}>
      <label>
        File, CSV or NDJSON
        <input
          type="file"
          accept=".csv,.ndjson,.jsonl,.txt"
          disabled={isBusy}
          onChange={({ currentTarget: { files } }) => run(() => choose(files?.[0]))}
        />
      </label>
      {!file && (
        <p class="soft">
          The first line of a CSV names its columns: <code>{columnOf(source)}</code>, and{' '}
          <code>reason</code> and <code>expires_at</code> if wanted. Nothing is stored before you
          have seen it.
        </p>
      )}
      {problem !== undefined && <Failed failure={new Error(problem)} />}
      {file && problem === undefined && !sums && <Preview file={file} />}
      {sums && <Progress sums={sums} isDone={isDone} />}
      {failure && <Failed failure={failure} />}
      <div class="actions">
        {file && problem === undefined && !isDone && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => run(importIt)}>
            {failure ? 'Go on' : `Import ${count(file.lines.length)} entries`}
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          {isDone ? 'Close' : 'Cancel'}
        </button>
      </div>
    </Dialog>
  )
}

const shownMax = 8

function Preview({ file: { header, lines } }: { readonly file: EntryFile }) {
  const more = lines.length - shownMax
  return (
    <>
      <p>
        <b class="number">{count(lines.length)}</b> entries{more > 0 && ', of which the first are'}:
      </p>
      <pre class="diff" dir="auto">
        {header !== undefined && <b>{`${header}\n`}</b>}
        {lines
          .slice(0, shownMax)
          .map((line) => line.slice(0, 300))
          .join('\n')}
      </pre>
    </>
  )
}

function Progress({ sums, isDone }: { readonly sums: Sums; readonly isDone: boolean }) {
  const { added, changed, unchanged, refused } = sums
  return (
    <>
      <p role="status">
        {isDone ? 'Done: ' : 'So far: '}
        <b>{count(added)}</b> added, <b>{count(changed)}</b> changed, <b>{count(unchanged)}</b> were
        there, <b>{count(refused.length)}</b> refused.
      </p>
      {refused.length > 0 && (
        <div class="refused-lines">
          <Table
            name="Refused lines"
            rows={refused.slice(0, 50)}
            keyOf={({ line }) => String(line)}
            columns={[
              {
                title: 'Line',
                isShort: true,
                show: ({ line }) => `Line ${line}`,
                cell: ({ line }) => line,
              },
              { title: 'Why', cell: ({ why }) => why },
            ]}
          />
          {refused.length > 50 && <p class="soft">The first 50 are shown.</p>}
        </div>
      )}
    </>
  )
}

interface Importing {
  readonly from: Sums
  readonly tell: (sums: Sums) => void
}

/** What is stored already stays; throws `ApiFailure` or what ended a part, and can go on from there. */
async function importParts(source: Source, file: EntryFile, { from, tell }: Importing) {
  let sums = from
  for (const { body, linesBefore } of cutParts(file).slice(from.parts)) {
    const headers = { 'Content-Type': file.type }
    const response = await send(importAddressOf(source), { method: 'POST', headers, body })
    const lines = (await response.text()).trim().split('\n')
    sums = sumLines(
      sums,
      lines.map((line) => JSON.parse(line) as Line),
      linesBefore,
    )
    tell(sums)
  }
}

function sumLines(before: Sums, lines: readonly Line[], linesBefore: number): Sums {
  const last = lines.at(-1)
  if (last?.result !== 'done') {
    throw new Error(last?.message ?? 'The import ended early: a part of the file is stored.')
  }
  const sum = (result: Line['result']) => lines.filter((line) => line.result === result).length
  const refused = lines
    .filter(({ result }) => result === 'refused')
    .map(({ line = 0, details = [] }) => ({
      line: line + linesBefore,
      why: details.map(({ message }) => message).join(' '),
    }))
  return {
    added: before.added + sum('added'),
    changed: before.changed + sum('changed'),
    unchanged: before.unchanged + sum('unchanged'),
    refused: [...before.refused, ...refused],
    parts: before.parts + 1,
  }
}
