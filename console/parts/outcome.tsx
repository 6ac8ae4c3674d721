/** Shows verdicts and outcomes of rules by shape, word and colour together. */

const shapes = {
  FLAG: { word: 'Flag', tone: 'flag', path: 'M3 14V2h9l-2.2 3.4L12 9H3' },
  PASS: { word: 'Pass', tone: 'pass', path: 'M2.5 8.5l3.5 4 7.5-9' },
  TRIGGERED: { word: 'Triggered', tone: 'flag', path: 'M8 1.5L14.5 8 8 14.5 1.5 8z' },
  NOT_TRIGGERED: { word: 'Not triggered', tone: 'pass', path: 'M8 2a6 6 0 100 12A6 6 0 008 2z' },
  NOT_EVALUATED: {
    word: 'Not evaluated',
    tone: 'unknown',
    path: 'M5.5 6a2.5 2.5 0 113.6 2.3c-.8.4-1.1.8-1.1 1.7m0 2.6v.2',
  },
  SKIPPED: { word: 'Skipped', tone: 'quiet', path: 'M2 8h9M8 4.5L11.5 8 8 11.5M14 3v10' },
  MATCH: { word: 'Match', tone: 'pass', path: 'M2.5 8.5l3.5 4 7.5-9' },
  MISMATCH: { word: 'Mismatch', tone: 'flag', path: 'M3 3l10 10M13 3L3 13' },
} as const

export type Outcome = keyof typeof shapes

const filled = new Set<Outcome>(['FLAG', 'TRIGGERED'])

/** `detail` is said after the word. */
export function OutcomeMark({ of, detail }: { readonly of: Outcome; readonly detail?: string }) {
  const { word, tone, path } = shapes[of]
  return (
    <span class={`outcome ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" class={filled.has(of) ? 'filled' : ''}>
        <path d={path} />
      </svg>
      {word}
      {detail !== undefined && <span class="outcome-detail">{detail}</span>}
    </span>
  )
}
