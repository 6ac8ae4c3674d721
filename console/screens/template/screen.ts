/** Declares the screen of one template; `new` begins one. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Template',
  path: '/verification/templates/:id',
  scopes: ['manage', 'audit'],
  under: '/verification',
  load: async () => (await import('./templateScreen.tsx')).TemplateScreen,
}
