import '../theme-controls.css';
import '@mantine/spotlight/styles.css';
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, spotlightActions, useSpotlight } from '@mantine/spotlight';
import {
  type Icon,
  IconArrowUpRight,
  IconCloudUpload,
  IconFilePlus,
  IconFileText,
  IconKeyboard,
  IconUser,
} from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useOpenPage } from '../components/links.tsx';
import { useTenantQuery, useWorkspace } from '../session.ts';
import { PAGES, SETTINGS_PAGES } from './pages.ts';
