/** Formats field lists, and tables that fit the terminal, as records where it is too narrow. */

import widthOf from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { JsonObject } from '../connecting/client.ts'
import { chooseColour, escapeControls, type Screen } from './screen.ts'

interface Layout {
  readonly align?: 'right'
  /** Columns of the terminal after which a cell is cut off, however wide that is. */
  readonly widthMax?: number
  /**
   * What happens on a narrow screen: `wrap` continues on the next line, `cut` ends in `…`. A column without it, such as
   * one of ids, keeps its width.
   */
  readonly narrow?: 'wrap' | 'cut'
  /** Whether its words are verdicts or outcomes, which have colours. */
  readonly coloured?: boolean
}

/** The field that is shown of an item, or its text. */
type Cell<Item> = keyof Item | ((item: Item) => string)

interface ItemColumn<Item> extends Layout {
  readonly cell: Cell<Item>
  /** Left out when no item has it. */
  readonly optional?: true
}

/** The columns of a table of items by their titles; one without a layout is only its cell. */
export type ItemColumns<Item> = Readonly<Record<string, Cell<Item> | ItemColumn<Item>>>

type Texts = readonly string[]

/** A column with the text of each row. */
interface Column extends Layout {
  readonly title: string
  readonly texts: Texts
}

/** The least width of a text; and the most reserved for whole words where the screen allows it. */
const textWidth = { least: 12, ofWords: 24 }
const gap = 2

/** What is copied often: an id, or a UUID. */
const id = /^(?:[a-z]{3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * The lines of a table with titles and a row for each item, none wider than the screen. When even the minimal columns
 * do not fit, each row becomes a record: a line per cell, and an empty line between rows.
 */
export function formatItemTable(
  columns: ItemColumns<never>,
  items: readonly object[],
  screen: Screen,
): readonly string[] {
  const used = Object.entries(columns).flatMap(([title, given]) => {
    const column: ItemColumn<never> = typeof given === 'object' ? given : { cell: given }
    const { cell, optional, ...layout } = column
    const texts = items.map((item) => {
      const text =
        typeof cell === 'function' ? cell(item as never) : formatValue(Reflect.get(item, cell))
      return truncate(escapeControls(text), layout.widthMax ?? 200)
    })
    return optional && texts.every((text) => text === '') ? [] : [{ title, ...layout, texts }]
  })
  const widths = fitWidths(used, screen.width - gap * (used.length - 1))
  if (!widths) return items.flatMap((_, at) => formatRecord(used, at, screen))
  const line = (texts: Texts, isTitle: boolean): string =>
    used
      .map((column, index) => {
        const text = texts[index] ?? ''
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
        const shown = isTitle ? screen.paint('bold', text) : paintCell(text, column, screen)
        return column.align === 'right' ? padding + shown : shown + padding
      })
      .join(' '.repeat(gap))
      .trimEnd()
  const titles = used.map(({ title }) => title)
  const rows = items.flatMap((_, at) => formatRow(used, at, widths))
  return [line(titles, true), ...rows.map((row) => line(row, false))]
}

interface Extent {
  /** The width of its widest cell. */
  readonly wanted: number
  /** Its least width. */
  readonly least: number
}

/**
 * The widths of the columns, with whole words where the screen allows; undefined when even the least widths do not fit.
 */
function fitWidths(columns: readonly Column[], available: number): readonly number[] | undefined {
  const extentsOf = (leastOf: (text: string) => number): readonly Extent[] =>
    columns.map(({ title, narrow, texts }) => {
      const widest = (measure: (text: string) => number): number =>
        texts.reduce((most, text) => Math.max(most, measure(text)), widthOf(title))
      const wanted = widest(widthOf)
      const least = narrow ? Math.max(textWidth.least, widest(leastOf)) : wanted
      return { wanted, least: Math.min(wanted, least) }
    })
  const wholeWords = (text: string): number => {
    const words = text.split(' ').map((word) => widthOf(word))
    return Math.max(measureWidestId(text), Math.min(textWidth.ofWords, Math.max(...words)))
  }
  return (
    shrinkToFit(extentsOf(wholeWords), available) ??
    shrinkToFit(extentsOf(measureWidestId), available)
  )
}

/** The widths, reduced to what is available: the widest column that can shrink shrinks first. */
function shrinkToFit(extents: readonly Extent[], available: number): readonly number[] | undefined {
  const widths = extents.map(({ wanted }) => wanted)
  const total = widths.reduce((sum, width) => sum + width, 0)
  for (let over = total - available; over > 0; over -= 1) {
    const flexible = widths.map((width, at) => (width > (extents[at]?.least ?? 0) ? width : 0))
    const widest = Math.max(...flexible)
    if (widest === 0) return undefined
    widths[flexible.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

/** The lines of a row, as many as its longest cell has. */
function formatRow(
  columns: readonly Column[],
  at: number,
  widths: readonly number[],
): readonly Texts[] {
  const wrapped = columns.map(({ narrow, texts }, index) => {
    const [text, width] = [texts[at] ?? '', widths[index] ?? 0]
    return narrow === 'cut' ? [truncate(text, width)] : wrap(text, width)
  })
  const height = Math.max(1, ...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => wrapped.map((lines) => lines[line] ?? ''))
}

function paintCell(text: string, { coloured }: Column, { paint }: Screen): string {
  return coloured ? paint(chooseColour(text), text) : text
}

/** A row as a record: each cell after its title, or below it when it does not fit; empty cells are left out. */
function formatRecord(columns: readonly Column[], at: number, screen: Screen): readonly string[] {
  const indent = Math.max(0, ...columns.map(({ title }) => widthOf(title))) + gap
  const lines = columns.flatMap((column) => {
    const { title, narrow, texts } = column
    const text = texts[at] ?? ''
    if (text === '') return []
    const available = screen.width - indent
    const least = Math.max(textWidth.least, measureWidestId(text))
    const fits = widthOf(text) <= available || (narrow && available >= least)
    const shown = wrap(text, fits ? available : screen.width).map((line) =>
      paintCell(line, column, screen),
    )
    const name = screen.paint('bold', title)
    if (!fits) return title === '' ? shown : [name, ...shown]
    const padding = ' '.repeat(indent - widthOf(title))
    return shown.map((line, row) => (row === 0 ? name + padding : ' '.repeat(indent)) + line)
  })
  return at === 0 ? lines : ['', ...lines]
}

/** The width of the widest id in the text, which is never broken. */
function measureWidestId(text: string): number {
  const ids = text.split(' ').filter((word) => id.test(word))
  return Math.max(0, ...ids.map(({ length }) => length))
}

/** The text in lines of this width at most, or as wide as an id in it, broken between words where it can be. */
function wrap(text: string, width: number): Texts {
  if (widthOf(text) <= width) return [text]
  return wrapAnsi(text, Math.max(width, measureWidestId(text)), { hard: true }).split('\n')
}

/** The text, or as much of it as fits before `…`. */
function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const options = { hard: true, wordWrap: false, trim: false }
  return `${wrapAnsi(text, width - 1, options).split('\n')[0]}…`
}

/** A line per field, with aligned values. */
export function formatFields(body: JsonObject): readonly string[] {
  const widest = Math.max(...Object.keys(body).map((name) => name.length))
  return Object.entries(body).map(
    ([name, value]) =>
      `${escapeControls(name.padEnd(widest))}  ${escapeControls(formatValue(value))}`,
  )
}

/** A value as text; booleans are `on` or `off`. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
