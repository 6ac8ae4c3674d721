/** Shows what one text has that another has not. */

import { diffWordsWithSpace } from 'diff'

export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <pre class="diff">
      {diffWordsWithSpace(before, after).map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value}</ins>
        if (removed) return <del key={index}>{value}</del>
        return <span key={index}>{value}</span>
      })}
    </pre>
  )
}
