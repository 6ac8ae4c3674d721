/** Shows a few figures large, each of which may lead to what it counts. */

import type { ComponentChildren } from 'preact'

interface Tile {
  readonly title: string
  readonly figure: ComponentChildren
  readonly href?: string
  readonly note?: string
}

export function Tiles({ of }: { readonly of: readonly Tile[] }) {
  return (
    <dl class="tiles">
      {of.map(({ title, figure, href, note }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{href === undefined ? <b>{figure}</b> : <a href={href}>{figure}</a>}</dd>
          {note !== undefined && <dd class="soft">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
