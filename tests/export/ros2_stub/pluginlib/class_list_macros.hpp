#pragma once

#define PLUGINLIB_EXPORT_CLASS(type, base) static_assert(sizeof(type) > 0 && sizeof(base) > 0);
