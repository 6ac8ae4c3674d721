/** Says below the text what it makes of the sample, or what is wrong with it. */

import { messageOf } from '../../language/diagnostics.ts'
import { OutcomeMark } from '../../parts/outcome.tsx'
import type { Check } from './useCheck.ts'

export function CheckLine({ check: { state, result, failure } }: { readonly check: Check }) {
  return (
    <div class="check" role="status" data-state={state}>
      {state === 'blank' && (
        <span class="soft">Write a condition, such as signal.ext.cart_total == "900"</span>
      )}
      {state === 'checking' && <span class="soft">Checking…</span>}
      {state === 'right' && result && <Right result={result} />}
      {state === 'wrong' && failure && <Wrong failure={failure} />}
      {state === 'failed' && failure && (
        <p class="mistake">{failure.details[0]?.message ?? failure.message}</p>
      )}
    </div>
  )
}

function Right({ result }: Required<Pick<Check, 'result'>>) {
  return (
    <>
      <OutcomeMark of={result.outcome} /> <span class="soft">on the sample</span>
      {result.blocked_by !== undefined && (
        <span>
          : needs <code>{result.blocked_by}</code>
        </span>
      )}
      {result.warnings?.map(({ message }) => (
        <p key={message} class="warning">
          {message}
        </p>
      ))}
    </>
  )
}

function Wrong({ failure }: Required<Pick<Check, 'failure'>>) {
  return (
    <>
      {failure.details.map((mistake) => (
        <p key={mistake.message} class="mistake">
          {mistake.line !== undefined && (
            <span class="soft">
              {mistake.line}:{mistake.column}{' '}
            </span>
          )}
          {messageOf(mistake)}
        </p>
      ))}
    </>
  )
}
