/** Chooses the light or the dark theme: that of the system unless told otherwise. */

import { signal } from '@preact/signals'
import { Select } from '../parts/fields.tsx'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'vigil-theme'
const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(key)) ?? 'auto')

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value
}

export function ThemeChoice() {
  const choose = (chosen: Theme | '') => {
    theme.value = chosen || 'auto'
    localStorage.setItem(key, theme.value)
    applyTheme()
  }
  const options = themes.map((one) => [one, one] as const)
  return <Select label="Theme" value={theme.value} options={options} onChange={choose} />
}
