// Drive the example controller: parameters and cases from stdin, names and torques to stdout.
#include <iostream>

#include "feedforward_controller.hpp"

using controller_interface::CallbackReturn;

int main()
{
  std::size_t n = ARM_JOINTS.size();
  lissom_example::FeedforwardController controller;
  if (controller.on_init() != CallbackReturn::SUCCESS) { return 2; }
  std::size_t count;
  for (const char * name : {"kp", "kd", "limit"}) {
    std::cin >> count;
    std::vector<double> values(count);
    for (double & value : values) { std::cin >> value; }
    controller.get_node()->parameters[name] = values;
  }
  if (controller.on_configure({}) != CallbackReturn::SUCCESS) { return 3; }

  auto references = controller.export_reference_interfaces();
  for (const auto & one : references) { std::cout << one.get_name() << ' '; }
  for (const auto & one : controller.command_interface_configuration().names) { std::cout << one << ' '; }
  for (const auto & one : controller.state_interface_configuration().names) { std::cout << one << ' '; }
  std::cout << '\n';
  std::vector<double> torques(n), states(2 * n);
  controller.lend(torques, states);
  controller.on_activate({});
  std::cout.precision(17);
  std::string kind, number;
  while (std::cin >> kind) {
    for (auto & one : references) { std::cin >> number; one.set(std::stod(number)); }
    for (double & value : states) { std::cin >> number; value = std::stod(number); }
    if (kind == "alone") { controller.update_unchained(); }
    const auto done = controller.update_and_write_commands({}, {});
    if (done != controller_interface::return_type::OK) { std::cout << "error\n"; continue; }
    for (double value : torques) { std::cout << value << ' '; }
    std::cout << '\n';
  }
  controller.on_deactivate({});
  for (double value : torques) { std::cout << value << ' '; }
  std::cout << '\n';
}
