// What the example controller uses of ros2_control, just enough to compile and run it without ROS.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#define RCLCPP_ERROR(logger, ...) (static_cast<void>(logger), std::fprintf(stderr, __VA_ARGS__))

namespace rclcpp
{
class Time {};
class Duration {};
struct Logger {};

class Parameter
{
public:
  explicit Parameter(std::vector<double> values) : values_(std::move(values)) {}
  const std::vector<double> & as_double_array() const { return values_; }

private:
  std::vector<double> values_;
};
}  // namespace rclcpp

namespace rclcpp_lifecycle
{
class State {};

class LifecycleNode
{
public:
  const char * get_name() const { return "feedforward"; }
  rclcpp::Logger get_logger() const { return {}; }
  rclcpp::Parameter get_parameter(const std::string & name) const { return rclcpp::Parameter(parameters.at(name)); }
  std::map<std::string, std::vector<double>> parameters;
};
}  // namespace rclcpp_lifecycle

namespace hardware_interface
{
class CommandInterface
{
public:
  CommandInterface(const std::string & prefix, const std::string & name, double * value)
  : name_(prefix + "/" + name), value_(value) {}
  const std::string & get_name() const { return name_; }
  void set(double value) { *value_ = value; }

private:
  std::string name_;
  double * value_;
};

class LoanedInterface
{
public:
  explicit LoanedInterface(double * value) : value_(value) {}
  [[nodiscard]] bool set_value(double value) { *value_ = value; return true; }
  [[nodiscard]] std::optional<double> get_optional() const { return *value_; }

private:
  double * value_;
};
}  // namespace hardware_interface

namespace controller_interface
{
enum class return_type { OK, ERROR };
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };

struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names;
};

class ChainableControllerInterface
{
public:
  virtual ~ChainableControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) = 0;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual return_type update_and_write_commands(const rclcpp::Time &, const rclcpp::Duration &) = 0;

  std::vector<hardware_interface::CommandInterface> export_reference_interfaces() { return on_export_reference_interfaces(); }
  return_type update_unchained() { return update_reference_from_subscribers({}, {}); }
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
  void lend(std::vector<double> & commands, std::vector<double> & states)
  {
    for (double & value : commands) { command_interfaces_.emplace_back(&value); }
    for (double & value : states) { state_interfaces_.emplace_back(&value); }
  }

protected:
  virtual std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() = 0;
  virtual return_type update_reference_from_subscribers(const rclcpp::Time &, const rclcpp::Duration &) = 0;

  template <typename T>
  void auto_declare(const std::string & name, const T & value) { node_->parameters.emplace(name, value); }

  std::vector<double> reference_interfaces_;
  std::vector<hardware_interface::LoanedInterface> command_interfaces_, state_interfaces_;

private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>();
};
}  // namespace controller_interface
