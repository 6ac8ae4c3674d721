/** Shows the first rows of a table, and the others on request; its file has all. */

import { useState } from 'preact/hooks'
import { Table, type TableProps } from './table.tsx'
import { count } from './values.tsx'

const shownMax = 8
/** With a page of evaluations beside it, 150 rows stand in the page. */
const heldMax = 90

export function ShortTable<Row>({ rows, ...rest }: TableProps<Row>) {
  const [max, setMax] = useState(shownMax)
  const possible = Math.min(rows.length, heldMax)
  return (
    <>
      <Table {...rest} rows={rows.slice(0, max)} all={rows} />
      {possible > max && (
        <button type="button" class="more" onClick={() => setMax(heldMax)}>
          Show {count(possible - max)} more
        </button>
      )}
      {rows.length > max && max === heldMax && (
        <p class="soft">
          The first {heldMax} are shown, the file has {count(rows.length)}.
        </p>
      )}
    </>
  )
}
