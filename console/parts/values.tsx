/** Shows values of evidence so that false, 0, empty, missing and sealed differ. */

export function Value({ of }: { readonly of: unknown }) {
  if (of === undefined) return <span class="value missing">missing</span>
  if (of === '') return <span class="value soft">empty text</span>
  if (typeof of === 'object' && of !== null && 'sealed' in of) {
    return <span class="value soft">sealed: the token may not see persons</span>
  }
  if (typeof of === 'string') return <LongText text={of} />
  return <code class="value">{JSON.stringify(of)}</code>
}

const shownMax = 300

/** The start of a long text, the rest on request. Each direction of writing stays within its own text. */
function LongText({ text }: { readonly text: string }) {
  if (text.length <= shownMax)
    return (
      <code class="value" dir="auto">
        <bdi>{text}</bdi>
      </code>
    )
  return (
    <details class="value">
      <summary>
        <code>
          <bdi>{text.slice(0, shownMax)}…</bdi>
        </code>{' '}
        <span class="soft">{text.length} characters</span>
      </summary>
      <code>
        <bdi>{text}</bdi>
      </code>
    </details>
  )
}

export const percent = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`

export const count = (value: number): string => value.toLocaleString('en-GB')
