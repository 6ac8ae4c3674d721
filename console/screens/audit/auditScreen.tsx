/** Shows the history, the configuration as of a time, differences, and erasures, one at a time. */

import type { ComponentType } from 'preact'
import { here, linkTo } from '../../api/address.ts'
import { Differences, StateAsOf } from './configuration.tsx'
import { Erasures } from './erasures.tsx'
import { History } from './history.tsx'
import './audit.css'

const tabs: Readonly<Record<string, readonly [string, ComponentType]>> = {
  history: ['History', History],
  state: ['State as of', StateAsOf],
  differences: ['Differences', Differences],
  erasure: ['Erasure', Erasures],
}

export function AuditScreen() {
  const asked = here.value.query.get('tab') ?? 'history'
  const current = Object.hasOwn(tabs, asked) ? asked : 'history'
  const View = tabs[current]?.[1] ?? History
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
      </div>
      <nav class="tabs" aria-label="Parts of the audit">
        {Object.entries(tabs).map(([name, [title]]) => (
          <a
            key={name}
            href={linkTo('/audit', { tab: name })}
            aria-current={name === current ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <View key={current} />
    </>
  )
}
