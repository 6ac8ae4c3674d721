/** Shows the state of a read model, or of what the operator decides on, by shape, word and colour together. */

const yes = 'M2.5 8.5l3.5 4 7.5-9'
const no = 'M3 3l10 10M13 3L3 13'

const states = {
  live: ['follows', 'pass', yes],
  catching_up: ['catches up', 'unknown', 'M2 8h9M8 4.5L11.5 8 8 11.5'],
  failing: ['fails', 'flag', no],
  pending: ['pending', 'unknown', 'M8 2a6 6 0 100 12A6 6 0 008 2zm0 3v3.5l2 1'],
  approved: ['approved', 'pass', yes],
  rejected: ['rejected', 'flag', no],
} as const

export function StateMark({ of }: { readonly of: keyof typeof states }) {
  const [word, tone, path] = states[of]
  return (
    <span class={`outcome ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={path} />
      </svg>
      {word}
    </span>
  )
}
