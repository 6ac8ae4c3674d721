/** Chooses the light or the dark theme: that of the system unless told otherwise. */

import { signal } from '@preact/signals'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'vigil-theme'
const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(key)) ?? 'auto')

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value
}

export function ThemeChoice() {
  const choose = (event: Event) => {
    theme.value = (event.currentTarget as HTMLSelectElement).value as Theme
    localStorage.setItem(key, theme.value)
    applyTheme()
  }
  return (
    <label class="theme">
      Theme{' '}
      <select value={theme.value} onChange={choose}>
        {themes.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}
