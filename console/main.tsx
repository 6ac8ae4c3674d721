/** Starts the console in the page. */

import './frame.css'
import './parts/fields.css'
import './parts/parts.css'
import { render } from 'preact'
import { resume } from './api/session.ts'
import { Shell } from './screens/shell.tsx'
import { applyTheme } from './screens/theme.tsx'

applyTheme()
render(<Shell />, document.getElementById('app') ?? document.body)
void resume()
